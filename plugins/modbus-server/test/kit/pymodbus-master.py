"""A Modbus master on Debian's python3-pymodbus: asks for everything that the server of the test has, and prints what it got as JSON."""
import json
import sys

from pymodbus.client import ModbusTcpClient
from pymodbus.mei_message import ReadDeviceInformationRequest
from pymodbus.register_write_message import MaskWriteRegisterRequest

client = ModbusTcpClient('127.0.0.1', port=int(sys.argv[1]), timeout=10)
assert client.connect()
unit = {'slave': 1}
# Requests that are made by their class take it under another name.
own = {'unit': 1}
found = {
    'coils': client.read_coils(0, 2, **unit).bits[:2],
    'inputs': client.read_discrete_inputs(0, 1, **unit).bits[:1],
    'input': client.read_input_registers(0, 1, **unit).registers,
    'holding': client.read_holding_registers(0, 4, **unit).registers,
    'writeCoil': not client.write_coil(0, False, **unit).isError(),
    'writeCoils': not client.write_coils(0, [True, True], **unit).isError(),
    'writeRegister': not client.write_register(0, 7, **unit).isError(),
    'writeRegisters': not client.write_registers(0, [8, 0, 0x4010], **unit).isError(),
    'mask': not client.execute(MaskWriteRegisterRequest(3, 0xFFF7, 0, **own)).isError(),
    'readWrite': client.readwrite_registers(
        read_address=0, read_count=3, write_address=0, write_registers=[9, 0, 0x3FC0], **own
    ).registers,
    'vendor': client.execute(ReadDeviceInformationRequest(0x01, 0x00, **own)).information[0].decode(),
    'gap': client.read_holding_registers(100, 1, **unit).exception_code,
    'unit': client.read_holding_registers(0, 1, slave=9).exception_code,
}
print(json.dumps(found))
client.close()
