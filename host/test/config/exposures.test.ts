import { expect } from 'chai';
import { exposures } from '../../src/config/exposures.ts';
import { readCommand } from '../../src/config/config.ts';

describe('warnings about a way to etcd without TLS', () => {
  const warnings = (endpoints: string): string => {
    const args = ['--pair', endpoints, '--pair-id', 'plant', '--secrets-key', '/etc/tagway/secrets.key'];
    const command = readCommand(args, {});
    if (command.run !== 'gateway') throw new Error('It is another command.');
    return exposures(command.config, '127.0.0.1', false).join();
  };

  it('name the members on other machines alone', () => {
    expect(warnings('http://10.0.0.5:2379,http://127.0.0.1:2379')).to.include(
      'etcd at http://10.0.0.5:2379 is not',
    );
    expect(warnings('https://10.0.0.5:2379,http://localhost:2379')).to.equal('');
  });
});
