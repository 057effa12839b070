"""Decodes frames, one a line in hexadecimal digits, and prints each as JSON: its fields, and the frame that they encode to."""
import json
import sys

from scapy.contrib.scada.iec104 import iec104_decode


def fields_of(packet):
    """The plain fields of a packet by name."""
    plain = {}
    for field in packet.fields_desc:
        value = packet.getfieldval(field.name)
        if isinstance(value, (int, float)):
            plain[field.name] = value
    return plain


for line in sys.stdin:
    packet = iec104_decode(bytes.fromhex(line.strip()))
    objects = getattr(packet, "io", [])
    # Without these, a packet is encoded from the bytes that it was decoded from.
    for part in [packet, *objects]:
        part.raw_packet_cache = None
    kind = type(packet).__name__
    print(json.dumps({
        "kind": kind,
        "fields": fields_of(packet),
        "objects": [{"kind": type(each).__name__, "fields": fields_of(each)} for each in objects],
        "encoded": bytes(packet).hex(),
    }))
