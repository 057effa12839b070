import ModbusRTU from 'modbus-serial';

/** A tag of the demo: what the gateway is told of a value of the plant. */
export interface PlantTag {
  readonly name: string;
  readonly address: string;
  /** Number of the API's data type. */
  readonly type: number;
  /** 1 read, 3 read and write. */
  readonly attribute: number;
  readonly precision?: number;
  readonly decimal?: number;
  readonly description: string;
}

const INT16 = 3;
const UINT32 = 6;
const UINT64 = 8;
const FLOAT = 9;
const BIT = 11;
const STRING = 13;

/** Where each value of the plant lies; unit 1, short addresses as in `1!400001`. */
export const plantTags: readonly PlantTag[] = [
  {
    name: 'temperature',
    address: '1!400001',
    type: FLOAT,
    attribute: 1,
    precision: 2,
    description: 'Boiler, °C',
  },
  {
    name: 'pressure',
    address: '1!400003',
    type: FLOAT,
    attribute: 1,
    precision: 3,
    description: 'Boiler, bar',
  },
  { name: 'level', address: '1!400005', type: INT16, attribute: 1, decimal: 0.1, description: 'Tank, %' },
  {
    name: 'setpoint',
    address: '1!400006',
    type: FLOAT,
    attribute: 3,
    precision: 1,
    description: 'Boiler, °C, writable',
  },
  { name: 'strokes', address: '1!400008', type: UINT32, attribute: 1, description: 'Strokes of the pump' },
  { name: 'energy', address: '1!400010', type: UINT64, attribute: 1, description: 'Wh since commissioning' },
  {
    name: 'pump',
    address: '1!000001',
    type: BIT,
    attribute: 3,
    description: '1 while the pump runs, writable',
  },
  { name: 'line', address: '1!400020.16', type: STRING, attribute: 1, description: 'Name of the line' },
];

/** A small simulated plant behind a Modbus TCP server. */
export class Plant {
  readonly #registers = Buffer.alloc(200);
  #pump = true;
  #server: ModbusRTU.ServerTCP | undefined;
  #timer: NodeJS.Timeout | undefined;
  #energy = 48_211_904n;

  constructor() {
    this.#registers.writeFloatBE(20, 0);
    this.#registers.writeFloatBE(60, 10);
    this.#registers.write('Line 1, boiler', 38, 'latin1');
    this.#registers.writeInt16BE(500, 8);
    this.#step();
  }

  /** Listens on this port of 127.0.0.1; not 0, for which modbus-serial takes 502. */
  async listen(port: number): Promise<void> {
    const server = new ModbusRTU.ServerTCP(
      {
        getHoldingRegister: (address: number) => this.#registers.readUInt16BE(address * 2),
        setRegister: (address: number, value: number) => {
          this.#registers.writeUInt16BE(value, address * 2);
        },
        getCoil: () => this.#pump,
        setCoil: (_address: number, on: boolean) => {
          this.#pump = on;
        },
      },
      { host: '127.0.0.1', port, unitID: 1 },
    );
    await new Promise<void>((resolve, reject) => {
      server.on('initialized', () => resolve());
      server.on('serverError', (error) => reject(error ?? new Error('The demo device cannot listen.')));
    });
    this.#server = server;
    this.#timer = setInterval(() => this.#step(), 250);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await new Promise<void>((resolve) => {
      if (this.#server) this.#server.close(() => resolve());
      else resolve();
    });
  }

  /** A quarter of a second of the plant's life: the boiler drifts to its setpoint while the pump runs. */
  #step(): void {
    const registers = this.#registers;
    const goal = this.#pump ? registers.readFloatBE(10) : 20;
    const temperature =
      registers.readFloatBE(0) + (goal - registers.readFloatBE(0)) * 0.02 + (Math.random() - 0.5) * 0.1;
    registers.writeFloatBE(temperature, 0);
    registers.writeFloatBE(1 + Math.max(0, temperature - 20) / 40 + (Math.random() - 0.5) * 0.01, 4);
    const level = registers.readInt16BE(8) + Math.round((Math.random() - 0.5) * 8);
    registers.writeInt16BE(Math.min(1000, Math.max(0, level)), 8);
    if (this.#pump) {
      registers.writeUInt32BE((registers.readUInt32BE(14) + 3) >>> 0, 14);
      this.#energy += 7n;
    }
    registers.writeBigUInt64BE(this.#energy, 18);
  }
}
