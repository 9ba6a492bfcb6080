# scripts/release.sh puts the tarball's address and checksum in.
from spack.package import *


class Clpac(AutotoolsPackage):
    """Phase-amplitude coupling of brain recordings, with surrogate statistics,
    on any OpenCL device and on plain CPUs, as a program and four libraries."""

    homepage = "@address@"
    url = "@address@/clpac-@version@.tar.gz"

    license("MIT", checked_by="clpac contributors")

    version("@version@", sha256="@sha256@")

    variant("opencl", default=True, description="Compute on OpenCL devices, too")
    variant("program", default=True, description="Build the program, and the libraries of files and analyses")
    variant("plots", default=True, when="+program", description="Draw pictures, with cairo")
    variant("resample", default=True, when="+program", description="Resample recordings, with libsamplerate")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("random123", type="build")
    depends_on("check@0.15:", type="test")
    depends_on("opencl", when="+opencl")
    depends_on("clfft", when="+opencl")
    with when("+program"):
        depends_on("jansson")
        depends_on("libmd")
        depends_on("libzip")
        depends_on("zlib-api")
        depends_on("python", type="run")
    depends_on("cairo+png+svg+pdf", when="+plots")
    depends_on("libsamplerate", when="+resample")

    def configure_args(self):
        args = [f"CPPFLAGS=-I{self.spec['random123'].prefix.include}"]
        args += self.with_or_without("opencl")
        args += self.with_or_without("cairo", variant="plots")
        args += self.with_or_without("samplerate", variant="resample")
        args += self.enable_or_disable("program")
        return args

    def check(self):
        make("check-host")
