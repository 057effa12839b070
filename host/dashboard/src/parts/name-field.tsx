import { TextInput } from '@mantine/core';
import type { ReactElement } from 'react';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** The field for the name in a dialog; it has the focus when the dialog opens. */
export function NameField({ label, value, onChange }: Props): ReactElement {
  return (
    <TextInput
      label={label}
      required
      data-autofocus
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
