import { expect } from 'chai';
import { inLanguage, translateRefusals } from '../src/texts/refusals.ts';

describe('replies in the language of the page', () => {
  after(() => translateRefusals(undefined));

  it('have reasons and messages of rows made of their sentences, and nothing else changed', () => {
    const refusals = { 'It is for another {0}.': '它适用于其他{0}。', processor: '处理器' };
    const sentence = { text: 'It is for another {0}.', values: [{ text: 'processor', values: [] }] };
    const english = 'It is for another processor.';
    const reply = {
      versions: [{ version: '1.0.0', fits: false, reason: english, sentence }],
      cautions: [{ kind: 'name', message: english, sentence }],
      notices: [{ message: 'unknown' }],
    };
    expect(inLanguage(reply)).to.equal(reply);
    translateRefusals({ refusals, sentences: (text) => text });
    const { versions, cautions, notices } = inLanguage(reply);
    expect(versions[0]).to.deep.include({ version: '1.0.0', reason: '它适用于其他处理器。' });
    expect(versions[0]).to.not.have.property('message');
    expect(cautions[0]).to.deep.include({ kind: 'name', message: '它适用于其他处理器。' });
    expect(notices).to.deep.equal([{ message: 'unknown' }]);
  });
});
