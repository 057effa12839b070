// Measures what conditions take of the heap: those of this plugin, and for comparison those of the library, of which there are few because they
// are large. `node --conditions=source --expose-gc bench/conditions.ts CONDITIONS LIBRARY`.
import { layoutOf } from '@tagway/store/test';
import { type AlarmEvent, DataType } from '@tagway/sdk';
import { OPCUAServer } from 'node-opcua-server';
import { standardNodeset } from '../src/library/nodeset.ts';
import { startServer, subscriptionTo } from '../test/kit/node.ts';

const [count = 10_000, libraryCount = 500] = process.argv.slice(2).map(Number);

function heap(): number {
  for (let round = 0; round < 3; round++) gc?.();
  return process.memoryUsage().heapUsed;
}

const print = (whose: string, conditions: number, bytes: number): void =>
  void process.stdout.write(
    `${whose}: ${conditions} conditions, ${Math.round(bytes / 1000)} kB, ${Math.round(bytes / conditions)} bytes each\n`,
  );

const names = Array.from({ length: count }, (_, at) => `alarm ${at}`);
const layout = layoutOf(names.map((name) => ({ name, type: DataType.STRING })));
const subscription = subscriptionTo(layout);
{
  await using node = await startServer();
  node.app.subscriptionsChanged([subscription]);
  const before = heap();
  const began = performance.now();
  node.app.deliverAlarms?.(
    names.map((tag, at): AlarmEvent => ({
      sequence: at + 1,
      time: Date.now(),
      recorded: Date.now(),
      tag,
      from: 'normal',
      to: 'unacknowledged',
      cause: 'condition',
      value: at,
      limit: 90,
      priority: 'high',
      text: `The value is ${at}.`,
    })),
    subscription,
  );
  const time = performance.now() - began;
  print('This plugin', count, heap() - before);
  process.stdout.write(`made in ${Math.round(time)} ms\n`);
}
const server = new OPCUAServer({ nodesets: [{ name: 'standard', source: await standardNodeset() }] });
await server.initialize();
const space = server.engine.addressSpace!;
space.installAlarmsAndConditionsService();
const namespace = space.getOwnNamespace();
const plant = namespace.addObject({
  browseName: 'Plant',
  organizedBy: space.rootFolder.objects,
  eventSourceOf: space.rootFolder.objects.server,
});
const input = namespace.addVariable({ browseName: 'Input', componentOf: plant, dataType: 'Double' });
const before = heap();
for (let at = 0; at < libraryCount; at++)
  namespace.instantiateAlarmCondition('AlarmConditionType', {
    browseName: `alarm ${at}`,
    conditionSource: plant,
    inputNode: input,
    optionals: ['ShelvingState', 'SuppressedState', 'OutOfServiceState', 'LatchedState'],
  });
print('The library', libraryCount, heap() - before);
await server.shutdown();
