"""A control centre of IEC 60870-5-104 on scapy, which builds and decodes the frames.

Takes orders as JSON, one a line:
  {"do": "connect", "host": "127.0.0.1", "port": 2404, "from": "127.0.0.1"}   connects and starts the transfer of data
  {"do": "send", "type": "C_IC_NA_1", "cot": 6, "fields": {...}}   sends one object of this type
  {"do": "hold"}, {"do": "go on"}   acknowledges nothing, or again
  {"do": "cut"}   breaks the connection
and prints what comes as JSON, one a line: units of data with their objects, and what becomes of connections. Frames of the size that a load test
has are decoded here; every frame is decoded by scapy with `--all`, otherwise every fiftieth, and must encode to the same bytes.
"""
import json
import os
import select
import socket
import struct
import sys

from scapy.contrib.scada import iec104

DECODE_EACH = 1 if "--all" in sys.argv else 50
WINDOW = 8
SIZES = {1: 1, 3: 1, 5: 2, 7: 5, 9: 3, 11: 3, 13: 5, 15: 5,
         30: 8, 31: 8, 32: 9, 33: 12, 34: 10, 35: 10, 36: 12, 37: 12}


def say(**what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def value_of(kind, element):
    """The value of an element of a monitored type."""
    base = kind if kind < 30 else 2 * (kind - 30) + 1
    if base in (1, 3):
        return element[0] & 3
    if base == 5:
        return ((element[0] & 0x7F) ^ 0x40) - 0x40
    if base == 7:
        return struct.unpack_from("<I", element)[0]
    if base in (9, 11):
        return struct.unpack_from("<h", element)[0]
    if base == 15:
        return struct.unpack_from("<i", element)[0]
    return struct.unpack_from("<f", element)[0]


class Connection:
    def __init__(self, host, port, own):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.bind((own, 0))
        self.socket.settimeout(5)
        self.socket.connect((host, port))
        self.socket.settimeout(None)
        self.rest = b""
        self.sent = 0
        self.received = 0
        self.waiting = 0
        self.frames = 0
        self.holds = False
        self.socket.sendall(bytes(iec104.IEC104_U_Message(startdt_act=1)))

    def acknowledge(self):
        if self.waiting == 0 or self.holds:
            return
        self.waiting = 0
        self.socket.sendall(bytes(iec104.IEC104_S_Message(rx_seq_num=self.received)))

    def send(self, kind, cot, fields, ca):
        io = getattr(iec104, f"IEC104_IO_{kind}_IOA")(**fields)
        frame = iec104.IEC104_I_Message_SingleIOA(
            tx_seq_num=self.sent, rx_seq_num=self.received, cot=cot, common_asdu_address=ca, io=io)
        self.sent = (self.sent + 1) % 32768
        self.waiting = 0
        self.socket.sendall(bytes(frame))

    def take(self):
        """False when the connection has ended."""
        try:
            data = self.socket.recv(65536)
        except OSError:
            data = b""
        if not data:
            return False
        self.rest += data
        while len(self.rest) >= 2 and len(self.rest) >= self.rest[1] + 2:
            size = self.rest[1] + 2
            self.frame(self.rest[:size])
            self.rest = self.rest[size:]
        return True

    def frame(self, data):
        self.frames += 1
        if self.frames % DECODE_EACH == 0:
            self.check(data)
        control = data[2]
        if control & 3 == 3:
            if control == 0x43:
                self.socket.sendall(bytes(iec104.IEC104_U_Message(testfr_con=1)))
            elif control == 0x0B:
                say(event="started")
            return
        if control & 1 == 1:
            return
        number = struct.unpack_from("<H", data, 2)[0] >> 1
        if number != self.received:
            say(event="fault", text=f"Frame {number} came where {self.received} was due.")
        self.received = (self.received + 1) % 32768
        self.waiting += 1
        self.unit(data[6:])
        if self.waiting >= WINDOW:
            self.acknowledge()

    def check(self, data):
        packet = iec104.iec104_decode(data)
        for part in [packet, *getattr(packet, "io", [])]:
            part.raw_packet_cache = None
        if bytes(packet) != data:
            say(event="fault", text=f"{data.hex()} is encoded as {bytes(packet).hex()}.")

    def unit(self, asdu):
        kind, count, cause = asdu[0], asdu[1] & 0x7F, asdu[2]
        size = SIZES.get(kind)
        objects = []
        if size is None:
            objects.append([int.from_bytes(asdu[6:9], "little"), asdu[9:].hex()])
        else:
            for at in range(6, 6 + count * (3 + size), 3 + size):
                element = asdu[at + 3:at + 3 + size]
                objects.append([int.from_bytes(asdu[at:at + 3], "little"), value_of(kind, element),
                                element[-7:].hex() if kind >= 30 else "", element[:-7][-1] if kind >= 30 else element[-1]])
        say(event="unit", type=kind, cause=cause & 0x3F, negative=bool(cause & 0x40),
            ca=struct.unpack_from("<H", asdu, 4)[0], objects=objects)


def main():
    connection = None
    orders = b""
    say(event="ready")
    while True:
        sources = [0] + ([connection.socket] if connection else [])
        ready = select.select(sources, [], [], 0.1)[0]
        if connection and not ready:
            connection.acknowledge()
        if connection and connection.socket in ready and not connection.take():
            connection.socket.close()
            connection = None
            say(event="closed")
        if 0 not in ready:
            continue
        data = os.read(0, 65536)
        if not data:
            return
        orders += data
        *lines, orders = orders.split(b"\n")
        for line in lines:
            order = json.loads(line)
            what = order["do"]
            try:
                if what == "connect":
                    connection = Connection(order["host"], order["port"], order["from"])
                elif connection is None:
                    say(event="closed")
                elif what == "send":
                    connection.send(order["type"], order["cot"], order["fields"], order.get("ca", 1))
                elif what in ("hold", "go on"):
                    connection.holds = what == "hold"
                elif what == "cut":
                    connection.socket.close()
                    connection = None
                    say(event="closed")
            except OSError as error:
                connection = None
                say(event="closed", text=str(error))


main()
