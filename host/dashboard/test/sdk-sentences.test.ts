import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { knownSentences } from '../src/texts/sdk-sentences.ts';
import { sdkSentences } from '../src/texts/sdk-sentences-zh.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const known = knownSentences(sdkSentences);

/** The files that make these sentences. */
const makers = ['sdk/src', 'schemas/src', 'plugins/lib/store/src', 'plugins/lib/mqtt-client/src'];

/** The sources, without their line ends and quotes, so that a text that goes over two lines is found. */
function sources(): string {
  return makers
    .flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
        .map((file) => readFileSync(`${root}${folder}/${file}`, 'utf8')),
    )
    .join('\n');
}

describe('the sentences of the SDK in Chinese', () => {
  it('are of texts that the SDK, the schemas and the libraries of apps have', () => {
    const text = sources();
    for (const english of Object.keys(sdkSentences))
      for (const part of english
        .split(/\{\d\}|TARGET/)
        .map((one) => one.trim().replace(/^The field ?|^does not (?=match|have)/, '')))
        if (part.length > 3) expect(text, english).to.include(part.replace(/^[.:;(]+|[.:;()]+$/g, '').trim());
  });

  it('have the places of the English ones', () => {
    const places = (text: string): string => [...new Set(text.match(/\{\d\}/g) ?? [])].sort().join();
    for (const [text, chinese] of Object.entries(sdkSentences))
      expect(places(chinese), text).to.equal(places(text));
  });

  it('are found in one another, and after each other', () => {
    const reason = 'plc:502 refuses connections: nothing listens on that port (ECONNREFUSED)';
    expect(known(`The link to the device is down: ${reason}.`)).to.equal(
      '与设备的连接已断开：plc:502 拒绝连接：该端口上没有服务（ECONNREFUSED）。',
    );
    expect(known('The field host is missing. The field port must be at least 1.')).to.equal(
      '缺少字段 host。字段 port 不得小于 1。',
    );
    expect(known('The field on must be true or false.')).to.equal('字段 on 必须是true 或 false。');
  });

  it('leave what they do not know as it is', () => {
    for (const text of ['The meter is asleep.', 'The field host is missing in. the meter', 'plc.local', ''])
      expect(known(text)).to.equal(text);
    expect(known('The field host is missing. The meter is asleep.')).to.equal(
      '缺少字段 host。 The meter is asleep.',
    );
  });
});
