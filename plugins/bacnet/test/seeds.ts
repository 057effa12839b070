/** What the peers hold: values that they are given in their own terms, never by this driver. */

export interface PeerValue {
  /** The number of an application tag. */
  readonly type: number;
  readonly value: unknown;
}

export interface PeerObject {
  readonly type: number;
  readonly instance: number;
}

/** Values by object and property, such as `0:1:85`. */
export type Seeds = Map<string, PeerValue[]>;

export function keyOf({ type, instance }: PeerObject, property: number): string {
  return `${type}:${instance}:${property}`;
}

/** A device with one object of each kind. */
export function seeds(): Seeds {
  return new Map<string, PeerValue[]>([
    ['8:1234:75', [{ type: 12, value: { type: 8, instance: 1234 } }]],
    ['8:4194303:75', [{ type: 12, value: { type: 8, instance: 1234 } }]],
    // ReadProperty, ReadPropertyMultiple, WriteProperty: neither library reads a WritePropertyMultiple of several objects.
    ['8:1234:97', [{ type: 8, value: { bitsUsed: 40, value: [0, 0xd0, 0, 0, 0] } }]],
    ['8:1234:62', [{ type: 2, value: 480 }]],
    [
      '8:1234:76',
      [
        { type: 12, value: { type: 8, instance: 1234 } },
        { type: 12, value: { type: 0, instance: 1 } },
        { type: 12, value: { type: 19, instance: 4 } },
      ],
    ],
    ['8:1234:77', [{ type: 7, value: 'plant' }]],
    ['0:1:77', [{ type: 7, value: 'supply' }]],
    ['0:1:28', [{ type: 7, value: 'Vorlauf Süd' }]],
    ['0:1:117', [{ type: 9, value: 62 }]],
    ['0:1:85', [{ type: 4, value: 21.5 }]],
    ['1:2:85', [{ type: 4, value: -0.25 }]],
    ['3:3:85', [{ type: 9, value: 1 }]],
    ['19:4:85', [{ type: 2, value: 70_000 }]],
    ['2:5:512', [{ type: 3, value: -129 }]],
    ['2:5:513', [{ type: 5, value: Math.PI }]],
    ['2:5:81', [{ type: 1, value: true }]],
    ['2:5:514', [{ type: 6, value: [1, 2, 255] }]],
  ]);
}
