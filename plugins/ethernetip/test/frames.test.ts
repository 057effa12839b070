import { DataType } from '@tagway/sdk';
import { explainedFrames, longestMeaning, pointsOf } from '@tagway/testkit';
import { expect } from 'chai';
import { openFixture } from './fixture.ts';
import { tag } from './program.ts';

describe('frames of EtherNet/IP, explained', () => {
  it('name the tags of every request in a packet, also where only their numbers are sent', async () => {
    await using fixture = await openFixture((device) => {
      device.add(tag('LevelOfTheTank', 'INT', { bytes: '0100' }), tag('Rate', 'REAL'), tag('Closed', 'INT'));
      device.addTo('Main', tag('StepOfTheProgram', 'DINT'));
      device.refusals.set('Closed', [0xff, 0x2105]);
    });
    const points = pointsOf('LevelOfTheTank', ['Program:Main.StepOfTheProgram', DataType.INT32], 'Closed', [
      'Rate',
      DataType.FLOAT,
    ]);
    await fixture.readings(points);
    const frames = explainedFrames(fixture.record, points[1]);
    await fixture.readings(points);
    const sent = frames.find(({ text }) => text?.includes('LevelOfTheTank'));
    expect(sent?.direction).to.equal('sent');
    expect(sent?.frame.includes('LevelOfTheTank'), 'the name is on the wire').to.equal(false);
    expect(sent?.text).to.match(/Read LevelOfTheTank\b/);
    expect(sent?.text).to.match(/Read Program:Main\.StepOfTheProgram\b/);
    const received = frames.find(({ direction, text }) => direction === 'received' && text?.includes(' = '));
    expect(received?.text).to.include('Read LevelOfTheTank = INT 0100');
    expect(received?.isOfTag).to.equal(true);
    expect(frames.filter(({ isOfTag }) => isOfTag === true).length).to.be.lessThan(frames.length);
    frames.length = 0;
    await fixture.written([points[0]!], [5]);
    expect(frames.map(({ text }) => text)).to.include('Write LevelOfTheTank = INT 0500');
  });

  it('say what was refused and why, and how the session is made and ended', async () => {
    await using fixture = await openFixture((device) => {
      device.add(tag('Closed', 'INT'));
      device.refusals.set('Closed', [0xff, 0x2105]);
    });
    const frames = explainedFrames(fixture.record);
    await fixture.readings(pointsOf('Closed'));
    const texts = frames.map(({ text = '' }) => text).join('\n');
    expect(texts).to.include(
      'Read Closed: refused, the element is beyond the end of the array (status 0xFF/0x2105)',
    );
    frames.length = 0;
    await fixture.driver.stop(AbortSignal.timeout(5000));
    expect(frames.map(({ text }) => text)).to.deep.equal([
      'Close the connection (Forward Close)',
      'Close the connection (Forward Close): done',
      'End of the session (UnregisterSession)',
    ]);
  });

  it('that are damaged have a short meaning or none', async () => {
    await using fixture = await openFixture((device) => {
      device.add(tag('Level', 'INT', { bytes: '0100' }), tag('Rate', 'REAL'));
    });
    const frames = explainedFrames(fixture.record);
    await fixture.readings(pointsOf('Level', ['Rate', DataType.FLOAT], 'Absent'));
    const [source] = fixture.record.sources;
    expect(longestMeaning(source!.format, frames)).to.be.within(1, 2000);
  });
});
