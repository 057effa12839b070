import { DataType, type AppContext, type Sample, type Subscription } from '@tagway/sdk';
import { type Batch, type Store, StoreApp, type StoreSettings } from '../src/index.ts';
import { layoutOf, sampleWith } from './kit/index.ts';

export const layout = layoutOf([{ name: 'tag0', type: DataType.INT32 }]);
export const subscription: Subscription = { id: 1, driver: 'modbus', group: 'grp', layout };

/** A sample whose only value is the number. */
export const sampleOf = (value: number): Sample => sampleWith(layout, [value]);

export const settings: StoreSettings = {
  'batch-size': 100,
  'batch-age': 50,
  timeout: 2000,
  'cache-mem-size': 1,
  'cache-disk-size': 10,
};

/** An app whose records are the values as text, and whose store is the function. */
export class NumbersApp extends StoreApp<StoreSettings> {
  readonly #send: Store['send'];

  constructor(context: AppContext<StoreSettings>, send: Store['send']) {
    super(context);
    this.#send = send;
  }

  protected store(): Store {
    return { name: 'the store', send: this.#send, shown: (data) => ({ topic: 'numbers', data }) };
  }

  protected encode({ numbers }: Sample): readonly Uint8Array[] {
    return [Buffer.from(String(numbers[0]))];
  }
}

export function numbersOf({ records }: Batch): number[] {
  return records.map(({ data }) => Number(Buffer.from(data).toString()));
}
