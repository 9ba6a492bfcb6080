# scripts/release.sh puts the tarball's address and checksum in.
class Clpac < Formula
  desc "Phase-amplitude coupling of brain recordings, on any OpenCL device and on CPUs"
  homepage "@address@"
  url "@address@/clpac-@version@.tar.gz"
  sha256 "@sha256@"
  license "MIT"

  depends_on "pkgconf" => :build
  depends_on "cairo"
  depends_on "jansson"
  depends_on "libmd"
  depends_on "libsamplerate"
  depends_on "libzip"

  uses_from_macos "python"

  on_linux do
    depends_on "opencl-headers" => :build
    depends_on "opencl-icd-loader"
    depends_on "zlib-ng-compat"
  end

  # Headers alone, of which Homebrew has no formula.
  resource "random123" do
    url "https://github.com/DEShawResearch/random123/archive/refs/tags/v1.14.0.tar.gz"
    sha256 "effafd8656b18030b2a5b995cd3650c51a7c45052e6e1c21e48b9fa7a59d926e"
  end

  def install
    resource("random123").stage buildpath/"random123"
    ENV.append "CPPFLAGS", "-I#{buildpath}/random123/include"
    system "./configure", "--with-cairo=yes", *std_configure_args
    system "make"
    system "make", "install"
  end

  test do
    system bin/"clpac", "synth", "made.npy", "--rate", "512", "--seconds", "60"
    output = shell_output("#{bin}/clpac run made.npy --rate 512 --device native -o made.npz 2>&1")
    assert_match "at phase", output
  end
end
