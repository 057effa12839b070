/** The settings that every Modbus plugin has; the settings schema of the plugin fills in the defaults. */
export interface ModbusSettings {
  /** Milliseconds to wait for the answer to one request. */
  readonly timeout: number;
  /** Milliseconds of silence between two requests. */
  readonly interval: number;
  /** How often a read that got no answer is sent again. */
  readonly max_retries: number;
  /** Milliseconds before a request is sent again. */
  readonly retry_interval: number;
  /** Unused registers that a request may read along to save a second request; sixteen times as many bits. */
  readonly max_gap: number;
  /** 1: the first register is number 1. 0: it is number 0. */
  readonly address_base: number;
  /** Byte order of 32-bit values: 1 ABCD, 2 BADC, 3 DCBA, 4 CDAB. */
  readonly endianess: number;
  /** Byte order of 64-bit values: 1 12345678, 2 21436587, 3 87654321, 4 78563412, 5 34127856, 6 56781234. */
  readonly endianess_64: number;
  /** 1: a unit that stays silent is left alone for a while. */
  readonly device_degrade: number;
  /** Silent cycles after which a unit is left alone. */
  readonly degrade_cycle?: number;
  /** Seconds for which a silent unit is left alone. */
  readonly degrade_time?: number;
}

/** The settings of a node that give the byte orders of 32-bit and of 64-bit values, by number. */
export type Endianness = Pick<ModbusSettings, 'endianess' | 'endianess_64'>;

/** The settings of a node that decide which requests are made and how values are coded. */
export type PlanSettings = Endianness & Pick<ModbusSettings, 'address_base' | 'max_gap'>;
