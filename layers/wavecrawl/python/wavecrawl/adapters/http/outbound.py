"""The bytes that leave this machine over a connection: requests, TLS handshakes and the acknowledgements of responses.

Cloud providers bill them. Most are headers of packets without content, which no library counts, but the kernel does.
"""

import socket
import struct
from typing import Final

PACKET_HEADERS: Final = 52
"""Bytes of the IPv4 and TCP headers of a packet with timestamps (RFC 9293, RFC 7323). IPv6 takes 20 more."""

_SEGMENTS, _SENT, _SIZE = 136, 200, 208
"""Places of `tcpi_segs_out` (32 bits) and `tcpi_bytes_sent` (64 bits) in the kernel's `struct tcp_info`, and what of it
is read: https://github.com/torvalds/linux/blob/v5.10/include/uapi/linux/tcp.h."""


def bytes_out(sock: socket.socket) -> int:
    """Return the bytes sent over a connection so far, with the headers of all packets; 0 if the system does not say."""
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _SIZE)
    except (AttributeError, OSError):  # not Linux, or the socket is closed
        return 0
    if len(info) < _SIZE:  # a kernel before 4.19
        return 0
    (segments,) = struct.unpack_from("=I", info, _SEGMENTS)
    (sent,) = struct.unpack_from("=Q", info, _SENT)
    return int(sent) + PACKET_HEADERS * int(segments)
