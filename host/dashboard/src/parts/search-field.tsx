import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface Props extends Pick<TextInputProps, 'style'> {
  /** Search by default. */
  readonly label?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The field that filters a list by a text. */
export function SearchField({ label, value, onChange, style }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <TextInput
      type="search"
      label={label ?? t('app.search')}
      value={value}
      style={style}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
