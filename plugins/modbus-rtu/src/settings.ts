import type { ModbusSettings } from '@tagway/modbus';
import type { SerialSettings, TcpSettings } from '@tagway/serial';

/** Settings of a Modbus RTU node: see settings.schema.json. */
export type Settings = ModbusSettings & (SerialSettings | TcpSettings);
