import { expect } from 'chai';
import { type AppConformance, type AppFixture, inputSourceOf } from './app-fixture.ts';
import { failing } from './input-source.ts';
import { soon } from './resources.ts';

/** Of an app with inputs: what follows from the tags that its settings refer to. */
export function testInputs(
  inputs: NonNullable<AppConformance['inputs']>,
  open: () => Promise<AppFixture>,
): void {
  it('takes what its settings refer to: values, faults, and tags that are not there', async () => {
    await using fixture = await open();
    const source = inputSourceOf(fixture.harness, inputs);
    await fixture.harness.start(1, fixture.server.settings);
    source.connect(1, {});
    source.connect(1, inputs.values);
    source.send(failing(inputs.values));
    await fixture.harness.runner.ask({ op: 'ping' });
    await fixture.untilQuiet();
    const before = fixture.server.taken;
    const isTaken = await soon(() => {
      source.send(inputs.values);
      source.send(inputs.others);
      return fixture.server.taken > before;
    });
    expect(isTaken, 'the server is sent something').to.equal(true);
    source.connect(1, {});
    await fixture.harness.runner.ask({ op: 'ping' });
    expect(fixture.harness.logged('error')).to.deep.equal([]);
  });
}
