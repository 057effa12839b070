import { ErrorCode, NodeType } from '@tagway/schemas';
import { faultData, faultFrom, type HostAnswers, type HostRequest } from '@tagway/sdk/internal';
import { Fault } from '@tagway/sdk';
import type { Node } from '../../core/model.ts';
import type { RuntimeEvents } from '../../core/ports/ports.ts';
import type { Endings } from './endings.ts';
import type { NodeRuns } from './node-runs.ts';
import type { Supervisor } from './supervisor.ts';

/**
 * Answers what a node asks of the gateway: the next number of a sequence, what it has stored; an app also reads and writes tags of drivers, reads
 * histories and alarms, asks for their states, and has logins checked; a driver with inputs writes what it reads.
 */
export async function answerApp(
  runner: Supervisor,
  core: RuntimeEvents,
  runs: NodeRuns,
  endings: Endings,
  id: number,
  request: HostRequest,
): Promise<void> {
  try {
    const work = perform(core, nodeOf(runner, runs, endings, request), request);
    const value = await (request.op === 'write' ? endings.writing(request.node, work) : work);
    runner.send({ op: 'answer', id, value });
  } catch (error) {
    runner.send({ op: 'answer', id, fault: faultData(error, ErrorCode.INTERNAL) });
  }
}

/** The node that asks. Throws NOT_RUNNING when the plugin of this runner has no such node that runs or is being stopped, as that of a connection test. */
function nodeOf({ plugin }: Supervisor, runs: NodeRuns, endings: Endings, { node: id }: HostRequest): Node {
  const node = runs.get(id)?.node ?? endings.get(id);
  if (node?.plugin.id === plugin.id) return node;
  throw new Fault(
    ErrorCode.NOT_RUNNING,
    'The gateway answers nodes that run alone, and the one that asks does not.',
  );
}

async function perform(
  core: RuntimeEvents,
  node: Node,
  request: HostRequest,
): Promise<HostAnswers[HostRequest['op']]> {
  switch (request.op) {
    case 'sequence':
      return core.sequence(node, request.name, request.least);
    case 'stored':
      return [...core.stored(node)];
    case 'store':
      if (request.transitions !== undefined && !isReader(node)) throw noAlarms(node);
      await core.store(node, request.entries, request.transitions);
      return undefined;
    default:
      break;
  }
  if (request.op === 'write' && isReader(node))
    return failuresOf(await core.writeInputs(node, request.writes, request.by));
  if (node.plugin.nodeType !== NodeType.APP)
    throw new Fault(
      ErrorCode.PLUGIN_TYPE_UNSUPPORTED,
      `Only apps read and write the tags of drivers, and "${node.name}" is a driver.`,
    );
  switch (request.op) {
    case 'read': {
      // The reply has all values, also those that are not due.
      const { due: _due, ...sample } = (await core.read(request.driver, request.group, request.sync)).sample;
      return sample;
    }
    case 'write': {
      const { from, linked, request: isRequest, user, whole, writes } = request;
      return failuresOf(await core.write(node, writes, isRequest, { user, from, linked, whole }));
    }
    case 'history':
      return core.history(request, request.range);
    case 'activeAlarms':
      return core.activeAlarms(request.driver, request.group);
    case 'drivers':
      return core.drivers();
    case 'alarms':
      return core.alarmsAfter(request.driver, request.after);
    case 'refused':
      core.refusedRequest(node, request.from, request.request, faultFrom(request.fault));
      return undefined;
    case 'login':
      return core.login(node, request.name, request.password, request.address);
  }
}

/** Whether it is a driver with inputs. */
const isReader = ({ plugin }: Node): boolean => plugin.inputs === true && plugin.nodeType === NodeType.DRIVER;

const noAlarms = ({ name }: Node): Fault =>
  new Fault(
    ErrorCode.PLUGIN_TYPE_UNSUPPORTED,
    `Only drivers with inputs have alarms that are recorded, and "${name}" is none.`,
  );

function failuresOf(faults: readonly (Fault | undefined)[]): HostAnswers['write'] {
  return faults.flatMap((fault, index) =>
    fault ? [[index, faultData(fault, ErrorCode.WRITE_FAILED)] as const] : [],
  );
}
