import { expect } from 'chai';
import { Windows } from '../../src/runtime/samples/windows.ts';

describe('what an app did lately', () => {
  const sent = (count: number) => new Map([['send_msgs_total', { value: count }]]);

  it('is the growth of its counters within each span', () => {
    const windows = new Windows();
    for (let second = 1; second <= 100; second++) windows.record(sent(second * 10), second * 1000);
    const at = Object.fromEntries(windows.at(100_000));
    expect(at).to.include({
      last_5s_trans_data_msgs: 50,
      last_30s_trans_data_msgs: 300,
      last_60s_trans_data_msgs: 600,
      last_60s_send_bytes: 0,
    });
    // Nothing is recorded while nothing changes.
    expect(Object.fromEntries(windows.at(104_000))).to.include({
      last_5s_trans_data_msgs: 10,
      last_60s_trans_data_msgs: 560,
    });
    expect(Object.fromEntries(windows.at(1_000_000))).to.include({ last_60s_trans_data_msgs: 0 });
  });

  it('begins with nothing', () => {
    const windows = new Windows();
    expect(Object.fromEntries(windows.at(5)).last_5s_recv_msgs).to.equal(0);
    windows.record(sent(7), 10);
    expect(Object.fromEntries(windows.at(20)).last_5s_trans_data_msgs).to.equal(7);
  });

  it('counts lost connections within longer spans', () => {
    const windows = new Windows();
    for (const time of [10_000, 500_000, 1_700_000, 1_795_000]) windows.lostConnection(time);
    expect(Object.fromEntries(windows.at(1_800_000))).to.include({
      last_60s_disconnections: 1,
      last_600s_disconnections: 2,
      last_1800s_disconnections: 4,
    });
  });
});
