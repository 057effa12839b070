// A client of bench/serve.ts, which monitors all tags.
import { Client } from '../test/kit/client.ts';

const { tags, port } = JSON.parse(process.argv[2] ?? '{}') as Record<'tags' | 'port', number>;
const client = await Client.connect(port);
const latest = new Float64Array(tags);
let values = 0;
let lost = 0;
await client.monitor(
  Array.from({ length: tags }, (_, index) => `modbus/group${Math.floor(index / 1000)}/tag${index % 1000}`),
  ({ value, statusCode }, index) => {
    if (!statusCode.isGood()) return;
    const beat = Math.floor(value.value as number);
    if (latest[index]! > 0 && beat !== latest[index]! + 1) lost += beat - latest[index]! - 1;
    latest[index] = beat;
    values++;
  },
  {},
  1000,
);
process.on('message', () => process.send?.({ op: 'figures', values, lost }));
process.send?.({ op: 'subscribed' });
