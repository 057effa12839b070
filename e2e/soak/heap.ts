import { Debugger } from '../kit/debugger.ts';
import { until } from '../kit/until.ts';

/** Where a Node process lets a debugger attach when it gets SIGUSR1. */
const port = 9229;

/** What is left of the memory of a process when all its garbage is collected, in megabytes. */
export interface Heap {
  readonly used: number;
  /** Buffers among others. */
  readonly outside: number;
}

/**
 * Has a Node process collect its garbage, and tells what is left. Undefined when it cannot be asked, for example because another process
 * of the machine is being debugged.
 */
export async function collectedHeap(pid: number): Promise<Heap | undefined> {
  if ((await Debugger.attach(port)) !== undefined) return undefined;
  try {
    process.kill(pid, 'SIGUSR1');
    await using attached = await until('a debugger may attach', () => Debugger.attach(port), {
      within: 5000,
    });
    await attached.ask('HeapProfiler.collectGarbage');
    await attached.ask('HeapProfiler.collectGarbage');
    const { result } = (await attached.ask('Runtime.evaluate', {
      expression: 'const { heapUsed, external } = process.memoryUsage(); `${heapUsed} ${external}`',
      replMode: true,
    })) as { result: { value: string } };
    const [used = 0, outside = 0] = result.value.split(' ').map((bytes) => Number(bytes) / 1e6);
    // So that the next process can be asked there.
    const close = "setTimeout(() => process.getBuiltinModule('node:inspector').close(), 50); 0";
    await attached.ask('Runtime.evaluate', { expression: close });
    return { used, outside };
  } catch {
    return undefined;
  }
}
