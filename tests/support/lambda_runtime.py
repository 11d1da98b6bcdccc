"""What Lambda's python3.13 runtime has of the shared libraries that programs and libraries in the layers need.

The runtime is that of the image public.ecr.aws/lambda/python:3.13 and is the same on both processors: the minimal
container image of Amazon Linux 2023 with Python (https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html,
https://docs.aws.amazon.com/linux/al2023/ug/lambda.html). Its packages with libraries are listed in
https://docs.aws.amazon.com/linux/al2023/ug/al2023-container-image-types.html; only those that the layers need are here.
libatomic is not among them. To see all on a machine with Docker:

    docker run --rm --platform linux/amd64 --entrypoint sh public.ecr.aws/lambda/python:3.13 -c 'ldconfig -p; rpm -qa'
"""

from types import MappingProxyType
from typing import Final, Literal

Machine = Literal["aarch64", "x86_64"]

SEARCHED: Final = ("lib",)
"""Folders of a layer in LD_LIBRARY_PATH, which is /var/lang/lib:/lib64:/usr/lib64:/var/runtime:/var/runtime/lib:
/var/task:/var/task/lib:/opt/lib.

https://github.com/aws/aws-lambda-base-images/blob/python3.13/Dockerfile.python3.13
"""

LOADERS: Final = MappingProxyType({"aarch64": "ld-linux-aarch64.so.1", "x86_64": "ld-linux-x86-64.so.2"})
"""The dynamic loader of each processor, of the package glibc."""

LIBRARIES: Final = MappingProxyType(
    {
        # glibc
        "libc.so.6": "glibc",
        "libdl.so.2": "glibc",
        "libm.so.6": "glibc",
        "libpthread.so.0": "glibc",
        "libresolv.so.2": "glibc",
        "librt.so.1": "glibc",
        "libutil.so.1": "glibc",
        # of gcc 11
        "libgcc_s.so.1": "libgcc",
        "libstdc++.so.6": "libstdc++",
        # others
        "libsqlite3.so.0": "sqlite-libs",
        "libz.so.1": "zlib",
    }
)
"""Libraries and the packages that they are in."""

NEWEST: Final = MappingProxyType(
    {
        "GLIBC": (2, 34),
        "GCC": (11, 0, 0),
        "GLIBCXX": (3, 4, 29),
        "CXXABI": (1, 3, 13),
        "ZLIB": (1, 2, 11),
    }
)
"""The newest version of symbols that a library has. AL2023 keeps glibc 2.34 and the libraries of gcc 11.

https://docs.aws.amazon.com/linux/al2023/ug/core-glibc.html, https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html
"""
