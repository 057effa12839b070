import { Select, Text, TextInput } from '@mantine/core';
import type { AlarmTransition } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { commandAlarms } from '../../api/alarms.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { useSending } from '../../parts/use-sending.ts';

const lengths = ['900', '3600', '14400', '28800', 'once'] as const;
type Length = (typeof lengths)[number];

interface Props {
  readonly alarm: AlarmTransition;
  /** For a time, or until somebody ends it. */
  readonly command: 'shelve' | 'out of service';
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Hides an alarm, with a reason. */
export function HideDialog({ alarm, command, onDone, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const { isBusy, error, run } = useSending();
  const [length, setLength] = useState<Length>('3600');
  const [comment, setComment] = useState('');
  const isShelf = command === 'shelve';
  const hide = async (): Promise<void> => {
    const reason = comment.trim() === '' ? '' : `: ${comment.trim()}`;
    const done = await run(async () => {
      await commandAlarms([alarm], `${command}${isShelf ? ` ${length}` : ''}${reason}`);
      return true;
    });
    if (done === true) onDone();
  };
  return (
    <Dialog
      title={t(isShelf ? 'alarms.shelveTitle' : 'alarms.takeOutTitle', { tag: alarm.tag })}
      action={t(isShelf ? 'alarms.shelve' : 'alarms.takeOut')}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void hide()}
      onClose={onClose}
    >
      {isShelf ? (
        <Select
          label={t('alarms.shelveFor')}
          data={lengths.map((value) => ({ value, label: t(`alarms.shelf.${value}`) }))}
          value={length}
          allowDeselect={false}
          onChange={(value) => setLength(lengths.find((one) => one === value) ?? '3600')}
        />
      ) : (
        <Text size="sm">{t('alarms.takeOutMeaning')}</Text>
      )}
      <TextInput
        label={t('alarms.comment')}
        value={comment}
        maxLength={500}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </Dialog>
  );
}
