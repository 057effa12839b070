import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';

/** What is large, such as the plan of a group, and makes a fault. */
class Plan {
  fail(): Fault {
    return new Fault(3000, 'The device refused the read.');
  }
}

describe('a fault that is kept', () => {
  it('does not keep what made it, and still has its stack', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const make = (): [Fault, WeakRef<Plan>] => {
      const plan = new Plan();
      return [plan.fail(), new WeakRef(plan)];
    };
    const [fault, plan] = make();
    // A weak reference holds its target until the end of the turn in which it was made.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(plan.deref()).to.equal(undefined);
    expect(fault.stack).to.match(/^Fault: The device refused the read\.\n +at Plan\.fail /);
  });
});
