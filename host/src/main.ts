#!/usr/bin/env node
import { hostFlags } from './core/system/v8-flags.ts';
import { isOld, runWithNewerNode } from './cli/newer-node.ts';
import { quietSqlite } from './cli/quiet-sqlite.ts';

if (isOld(process.versions.node)) {
  await runWithNewerNode(hostFlags);
} else {
  quietSqlite();
  const { runAgent } = await import('./cli/agent-command.ts');
  if (!(await runAgent())) {
    const { runCommand } = await import('./cli/command.ts');
    await runCommand();
  }
}
