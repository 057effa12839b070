// A Modbus TCP server of the modbus-serial package, for machines without a more independent one. It takes the port as
// argument, or finds a free one, prints the port, and serves clients until its standard input ends.
import { ServerTCP } from 'modbus-serial';
import { freePort } from '../kit/free-port.ts';

const holding = new Uint16Array(65_536);
const input = new Uint16Array(65_536).map((_, index) => index);
const coils = new Uint8Array(65_536);

/** Holding registers that the device does not have: 1000 to 1009, as with the other servers of the tests. */
function checkHole(address: number): void {
  if (address >= 1000 && address < 1010)
    throw Object.assign(new Error('There is no such register.'), { modbusErrorCode: 2 });
}

// ServerTCP does not say which port the system gave it, so one is chosen for it.
const port = Number(process.argv[2] ?? 0) || (await freePort());

const server = new ServerTCP(
  {
    getCoil: (address: number) => coils[address] === 1,
    getDiscreteInput: (address: number) => address % 2 === 1,
    getInputRegister: (address: number) => input[address] ?? 0,
    getHoldingRegister: (address: number) => {
      checkHole(address);
      return holding[address] ?? 0;
    },
    setCoil: (address: number, on: boolean) => {
      coils[address] = on ? 1 : 0;
    },
    setRegister: (address: number, value: number) => {
      holding[address] = value;
    },
  },
  { host: '127.0.0.1', port, unitID: 255 },
);
server.on('initialized', () => {
  console.log(port);
});
server.on('socketError', () => undefined);
process.stdin.on('end', () => process.exit()).resume();
