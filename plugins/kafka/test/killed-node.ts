/** A Kafka node in a process of its own, so that it can be killed. Arguments: its folder, the port of the cluster, and the first number to deliver. */
import { deliverUntilEnd } from '@tagway/store/test';
import { nodeIn, paramsFor, sampleOf, subscription } from './nodes.ts';

const [folder = '', port = ''] = process.argv.slice(2);
const run = await nodeIn(folder);
// Compressed, because the mock cluster keeps 5 MB of a topic.
await run.start(paramsFor(Number(port), { 'batch-age': 100, compression: 1 }));
await deliverUntilEnd(run, (number) => sampleOf(number), subscription);
