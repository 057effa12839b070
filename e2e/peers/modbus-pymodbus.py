"""A Modbus device on Debian's python3-pymodbus (which also needs python3-serial-asyncio), for tests.

Arguments, both optional: the port, or 0 for a free one, and the kind: tcp, udp, or rtutcp for RTU frames over TCP. It listens
on 127.0.0.1, prints the port, and serves clients until its standard input ends.

It answers unit 1 alone. Each area has 10000 entries, of which number i (counted from 0) is at first
  coils                 1 when i is divisible by 3
  discrete inputs       1 when i is divisible by 5
  holding registers     i
  input registers       65535 - i
Registers and bits 1000 to 1009 do not exist: a request that touches one of them gets exception 2.
"""

import asyncio
import logging
import os
import socket
import sys
import threading

from pymodbus.datastore import ModbusServerContext, ModbusSlaveContext, ModbusSparseDataBlock
from pymodbus.server import StartAsyncTcpServer, StartAsyncUdpServer
from pymodbus.transaction import ModbusRtuFramer, ModbusSocketFramer

SIZE = 10000
HOLE = range(1000, 1010)


def block(value):
    return ModbusSparseDataBlock({i: value(i) for i in range(SIZE) if i not in HOLE})


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


async def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    kind = sys.argv[2] if len(sys.argv) > 2 else "tcp"
    if port == 0:
        port = free_port(socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
    unit = ModbusSlaveContext(
        co=block(lambda i: i % 3 == 0),
        di=block(lambda i: i % 5 == 0),
        hr=block(lambda i: i),
        ir=block(lambda i: 65535 - i),
        zero_mode=True,
    )
    start = StartAsyncUdpServer if kind == "udp" else StartAsyncTcpServer
    options = {
        "context": ModbusServerContext(slaves={1: unit}, single=False),
        "address": ("127.0.0.1", port),
        "framer": ModbusRtuFramer if kind == "rtutcp" else ModbusSocketFramer,
    }
    if kind != "udp":
        options["allow_reuse_address"] = True
    server = asyncio.ensure_future(start(**options))
    await asyncio.sleep(0.2)
    if server.done():
        server.result()
    print(port, flush=True)
    await server


# Every exception that it answers with is an error in its own log.
logging.disable()
threading.Thread(target=end_with_input, daemon=True).start()
asyncio.run(main())
