/** An InfluxDB node in a process of its own, so that it can be killed. Arguments: its folder, the URL, and the first number to deliver. */
import { deliverUntilEnd } from '@tagway/store/test';
import { layout, nodeIn, paramsOf, sampleOf, subscriptionOf } from './nodes.ts';

const [folder = '', url = ''] = process.argv.slice(2);
const run = await nodeIn(folder);
await run.start(paramsOf({ url, 'batch-age': 100 }));
await deliverUntilEnd(run, (number) => sampleOf(number, 1_650_000_000_000 + number), subscriptionOf(layout));
