# nix build PATH-OF-A-CHECKOUT?dir=packaging/nix
{
  description = "Phase-amplitude coupling of brain recordings, on any OpenCL device and on plain CPUs";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      for = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = for (pkgs: {
        default = pkgs.stdenv.mkDerivation (final: {
          pname = "clpac";
          version = builtins.head (builtins.match ".*\nversion: ([0-9.]+)\n.*" (builtins.readFile ../../CITATION.cff));
          src = ../..;

          # Headers alone.
          random123 = pkgs.fetchzip {
            url = "https://github.com/DEShawResearch/random123/archive/refs/tags/v1.14.0.tar.gz";
            hash = "sha256-r69CupcUjlXSyPFvh8J9r1lalKgfc8NoRjfXMY9wmqs=";
          };

          nativeBuildInputs = with pkgs; [ autoreconfHook pkg-config ];
          buildInputs = with pkgs; [ cairo check jansson libmd libsamplerate libzip ocl-icd opencl-headers python3 zlib ];
          configureFlags = [ "CPPFLAGS=-I${final.random123}/include" "--with-opencl=yes" ];
          enableParallelBuilding = true;
          doCheck = true;
          checkTarget = "check-host";

          meta = {
            description = "Phase-amplitude coupling of brain recordings, on any OpenCL device and on plain CPUs";
            license = pkgs.lib.licenses.mit;
            mainProgram = "clpac";
            platforms = systems;
          };
        });
      });

      checks = for (pkgs: {
        coupling = pkgs.runCommand "clpac-finds-coupling" { nativeBuildInputs = [ self.packages.${pkgs.stdenv.hostPlatform.system}.default ]; } ''
          clpac synth made.npy --rate 512 --seconds 60
          clpac run made.npy --rate 512 --device native -o made.npz
          mkdir $out && cp made.npz $out
        '';
      });
    };
}
