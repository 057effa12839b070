/** How large a device profile may be: it is data that people write by hand or that a device gives, never a file of values. */
export const profileLimits = {
  /** Bytes of profile.json. */
  json: 1 << 20,
  /** Tags in its groups, and of one node. */
  tags: 2000,
  /** Points of all models of its discovery. */
  points: 5000,
  /** Bytes of its picture, and pixels of its longer side. */
  picture: 100_000,
  pixels: 1024,
  /** Bytes of a readme, a licence or a list of changes. */
  text: 200_000,
  /** Bytes of its archive, packed and unpacked, and what is in it. */
  packed: 1_500_000,
  unpacked: 2_000_000,
  entries: 16,
  /** Profiles that are installed at most. */
  installed: 1000,
} as const;

/** The keyword of packages that are device profiles. */
export const profileKeyword = 'tagway-profile';

const plain = [
  ...['%', '‰', 'ppm', 'bit', 'Bit', 'B', 'kB', 'MB', 'GB', 'dB', 'dBm', 'pH', 'rpm', 'cos φ', 'PF'],
  ...[
    'V',
    'mV',
    'µV',
    'kV',
    'A',
    'mA',
    'µA',
    'kA',
    'Ah',
    'mAh',
    'ohm',
    'Ohm',
    'Ω',
    'mΩ',
    'kΩ',
    'MΩ',
    'kohm',
    'Mohm',
  ],
  ...['W', 'mW', 'kW', 'MW', 'GW', 'VA', 'kVA', 'MVA', 'var', 'kvar', 'Mvar'],
  ...['Wh', 'kWh', 'MWh', 'GWh', 'varh', 'kvarh', 'Mvarh', 'VAh', 'kVAh', 'MVAh', 'J', 'kJ', 'MJ', 'GJ'],
  ...['Hz', 'kHz', 'MHz', 'F', 'µF', 'nF', 'pF', 'H', 'mH', 'T', 'mT', 'S', 'mS', 'µS', 'µS/cm', 'mS/cm'],
  ...[
    '°',
    'deg',
    'rad',
    '°C',
    'degC',
    'Cel',
    '°F',
    'degF',
    'K',
    'Pa',
    'hPa',
    'kPa',
    'MPa',
    'bar',
    'mbar',
    'psi',
  ],
  ...[
    'ms',
    's',
    'min',
    'h',
    'd',
    'm',
    'mm',
    'cm',
    'km',
    'µm',
    'in',
    'ft',
    'm²',
    'm2',
    'm³',
    'm3',
    'l',
    'L',
    'ml',
    'mL',
    'hl',
  ],
  ...['g', 'mg', 'kg', 't', 'N', 'kN', 'Nm', 'N·m', 'lx', 'lm', 'cd', 'mol'],
  ...['m/s', 'km/h', 'm/s²', 'm³/h', 'm3/h', 'm³/s', 'm3/s', 'l/min', 'L/min', 'l/s', 'L/s', 'l/h', 'L/h'],
  ...[
    'kg/h',
    'kg/s',
    'kg/min',
    't/h',
    'W/m²',
    'W/m2',
    'kWh/m²',
    'g/m³',
    'mg/m³',
    'µg/m³',
    'mg/l',
    '%/s',
    '%/min',
    '1/min',
    '/min',
    '1/s',
    '/s',
    'EUR',
    'USD',
  ],
  // UCUM, where it differs from what people write.
  ...[
    'V.A',
    'kV.A',
    'MV.A',
    'W.h',
    'kW.h',
    'MW.h',
    'A.h',
    'kOhm',
    'MOhm',
    'uF',
    'um',
    'uS/cm',
    '[degF]',
    '[psi]',
    '[in_i]',
    '[ft_i]',
  ],
];

const units: ReadonlySet<string> = new Set(plain);

/** Whether a text is a unit that people and programs know: the usual symbol, or the code of UCUM. */
export function isKnownUnit(unit: string): boolean {
  return units.has(unit);
}
