import { Select, TextInput } from '@mantine/core';
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
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Hides an alarm for a time, with a reason. */
export function ShelveDialog({ alarm, onDone, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const { isBusy, error, run } = useSending();
  const [length, setLength] = useState<Length>('3600');
  const [comment, setComment] = useState('');
  const shelve = async (): Promise<void> => {
    const reason = comment.trim() === '' ? '' : `: ${comment.trim()}`;
    const done = await run(async () => {
      await commandAlarms([alarm], `shelve ${length}${reason}`);
      return true;
    });
    if (done === true) onDone();
  };
  return (
    <Dialog
      title={t('alarms.shelveTitle', { tag: alarm.tag })}
      action={t('alarms.shelve')}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void shelve()}
      onClose={onClose}
    >
      <Select
        label={t('alarms.shelveFor')}
        data={lengths.map((value) => ({ value, label: t(`alarms.shelf.${value}`) }))}
        value={length}
        allowDeselect={false}
        onChange={(value) => setLength(lengths.find((one) => one === value) ?? '3600')}
      />
      <TextInput
        label={t('alarms.comment')}
        value={comment}
        maxLength={500}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </Dialog>
  );
}
