import { expect } from 'chai';
import { hostileLine } from './hostile.mjs';

describe('the line about hostile tests', () => {
  it('adds up their files, and has the worst of what they measured', () => {
    const results = [
      { title: 'e2e/test/kill.test.ts', passed: 100, failed: 0, figures: [] },
      { title: 'e2e/hostile/one.test.ts', passed: 3, failed: 1, figures: [] },
      {
        title: 'e2e/hostile/two.test.ts',
        passed: 2,
        failed: 0,
        figures: [
          { pause: 400.4, before: 100, after: 110 },
          { pause: 20, before: 80, after: 95 },
        ],
      },
    ];
    expect(hostileLine(results)).to.equal(
      'Hostile: 6 cases, 5 held; worst pause of the API 400 ms; RSS 80 MB before and 95 MB after the case that it grew most in.',
    );
  });

  it('is there without figures, and not at all without such tests', () => {
    const result = { passed: 1, failed: 0, figures: [] };
    expect(hostileLine([{ ...result, title: 'e2e/hostile/one.test.ts' }])).to.equal(
      'Hostile: 1 cases, 1 held.',
    );
    expect(hostileLine([{ ...result, title: 'sdk' }])).to.equal(undefined);
  });
});
