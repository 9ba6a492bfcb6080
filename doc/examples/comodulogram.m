% comodulogram.m - draws the map of the first channel of a result in MATLAB or GNU Octave:
%
%     clpac run eeg.edf -o eeg.npz --mat
%     octave comodulogram.m          (or, in MATLAB, run it in the folder of eeg.mat)
r = load('eeg.mat');
channel = 1;
segment = 1;
z = squeeze(r.z(channel, segment, :, :))'; % amplitudes upwards, phases to the right
phase = mean(r.phase_bands_hz, 2);
amplitude = mean(r.amplitude_bands_hz, 2);
figure;
imagesc(phase, amplitude, z);
axis xy;
xlabel('phase frequency (Hz)');
ylabel('amplitude frequency (Hz)');
title(['z of the modulation index, channel ' r.channels{channel}], 'Interpreter', 'none');
bar = colorbar;
ylabel(bar, 'z');
% Cells of p_max up to 0.05 are outlined where there are several bands of both.
p = squeeze(r.p_max(channel, segment, :, :))';
if all(size(p) > 1) && any(p(:) <= 0.05)
	hold on;
	contour(phase, amplitude, double(p <= 0.05), [0.5 0.5], 'w');
end
print('eeg-matlab.png', '-dpng');
