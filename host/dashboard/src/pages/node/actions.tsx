import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { logLevels, NodeCommand, RunningState, type LogLevel, type NodeStateRecord } from '@tagway/schemas';
import { memo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useIsLocked } from '../../api/use-configure.ts';
import { useMay } from '../../api/use-role.ts';
import { useAction } from '../../parts/use-action.ts';
import { CloneNode } from './clone.tsx';
import { DeleteNode } from './delete.tsx';
import { RenameNode } from './rename.tsx';

interface Props {
  readonly name: string;
  readonly isDriver: boolean;
  readonly state: NodeStateRecord | undefined;
}

/**
 * The actions on a node: start and stop as a button, the others in a menu. Actions that the role does not allow are hidden. It renders
 * again only when the state of this node changes.
 */
export const NodeActions = memo(function NodeActions({ name, isDriver, state }: Props): ReactElement | null {
  const { t } = useTranslation();
  const { run, isBusy } = useAction();
  const mayControl = useMay('operator');
  const mayChange = useMay('engineer');
  const isLocked = useIsLocked();
  const [dialog, setDialog] = useState<'rename' | 'clone' | 'delete'>();
  if (!mayControl) return null;
  const isRunning = state?.running === RunningState.RUNNING;

  const control = (): Promise<boolean> =>
    run(
      () =>
        call('POST', 'api/v2/node/ctl', {
          body: { node: name, cmd: isRunning ? NodeCommand.STOP : NodeCommand.START },
        }),
      t(isRunning ? 'nodes.didStop' : 'nodes.didStart', { name }),
    );
  const setLevel = (level: LogLevel): Promise<boolean> =>
    run(
      () => call('PUT', 'api/v2/log/level', { body: { node: name, level, core: false } }),
      t('nodes.didLevel', { name, level }),
    );

  return (
    <>
      <ActionIcon.Group>
        <ActionIcon
          variant="default"
          loading={isBusy}
          disabled={state === undefined}
          aria-label={t(isRunning ? 'nodes.stop' : 'nodes.start', { name })}
          onClick={() => void control()}
        >
          {isRunning ? <IconPlayerStop size={16} /> : <IconPlayerPlay size={16} />}
        </ActionIcon>
        {mayChange && (
          <Menu>
            <Menu.Target>
              <ActionIcon variant="default" aria-label={t('nodes.more', { name })}>
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {isLocked && <Menu.Label maw={260}>{t('source.mayNot')}</Menu.Label>}
              <Menu.Item disabled={isLocked} onClick={() => setDialog('rename')}>
                {t('nodes.rename')}
              </Menu.Item>
              <Menu.Item disabled={isLocked} onClick={() => setDialog('clone')}>
                {t('nodes.clone')}
              </Menu.Item>
              <Menu.Item disabled={isLocked} onClick={() => setDialog('delete')}>
                {t('nodes.delete')}
              </Menu.Item>
              <Menu.Divider />
              <Menu.Label>{t('nodes.level')}</Menu.Label>
              {logLevels.map((level) => (
                <Menu.Item
                  key={level}
                  aria-current={state?.log_level === level}
                  rightSection={state?.log_level === level ? '✓' : undefined}
                  onClick={() => void setLevel(level)}
                >
                  {level}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </ActionIcon.Group>
      {dialog === 'rename' && <RenameNode name={name} onClose={() => setDialog(undefined)} />}
      {dialog === 'clone' && <CloneNode name={name} onClose={() => setDialog(undefined)} />}
      {dialog === 'delete' && (
        <DeleteNode name={name} isDriver={isDriver} onClose={() => setDialog(undefined)} />
      )}
    </>
  );
});
