import {
  Button,
  Checkbox,
  FileInput,
  Group,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { BaseInputTemplateProps, WidgetProps } from '@rjsf/utils';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { base64Of } from '../parts/base64.ts';

/**
 * Milliseconds from leaving a field to its check. What is wrong takes room below the field: a click that leaves it has to land before what is
 * further down moves.
 */
export const checkAfter = 200;

/** The properties that all controls have: label, description, error and so on. */
export function commonProps({
  id,
  htmlName,
  label,
  schema,
  required,
  disabled,
  readonly,
  rawErrors,
}: WidgetProps): {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly required: boolean;
  readonly disabled: boolean;
  readonly error: string | undefined;
} {
  return {
    id,
    name: htmlName ?? id,
    label,
    description: schema.description,
    required: required === true,
    disabled: disabled === true || readonly === true,
    error: rawErrors?.length ? [...new Set(rawErrors)].join(' ') : undefined,
  };
}

/** A text or a number. An empty field means that the setting is absent. */
export function Input(props: BaseInputTemplateProps): ReactElement {
  const { id, schema, onChange, onBlur } = props;
  const value: unknown = props.value;
  if (schema.type === 'integer' || schema.type === 'number') {
    return (
      <NumberInput
        {...commonProps(props)}
        value={(value as number | undefined) ?? ''}
        allowDecimal={schema.type === 'number'}
        // A value out of range is shown as an error and not changed silently.
        clampBehavior="none"
        onChange={(next) => onChange(next === '' ? undefined : next)}
        onBlur={() => setTimeout(() => onBlur(id, value), checkAfter)}
      />
    );
  }
  return (
    <TextInput
      {...commonProps(props)}
      value={(value as string | undefined) ?? ''}
      maxLength={schema.maxLength}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      onBlur={() => setTimeout(() => onBlur(id, value), checkAfter)}
    />
  );
}

/** A secret: hidden while it is typed, with a button that shows it. */
export function Secret(props: WidgetProps): ReactElement {
  const { t } = useTranslation();
  const { id, onChange, onBlur } = props;
  const value: unknown = props.value;
  return (
    <PasswordInput
      {...commonProps(props)}
      value={(value as string | undefined) ?? ''}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': t('settings.reveal') }}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      onBlur={() => setTimeout(() => onBlur(id, value), checkAfter)}
    />
  );
}

/** One of a few named values. */
export function Choice(props: WidgetProps): ReactElement {
  const { onChange, options, required } = props;
  const value: unknown = props.value;
  const choices = options.enumOptions ?? [];
  const index = choices.findIndex((one) => one.value === value);
  return (
    <Select
      {...commonProps(props)}
      data={choices.map(({ label }, at) => ({ value: String(at), label }))}
      value={index < 0 ? null : String(index)}
      clearable={required !== true}
      onChange={(at) => onChange(at === null ? undefined : choices[Number(at)]?.value)}
    />
  );
}

export function CheckboxField(props: WidgetProps): ReactElement {
  const { required: _, ...common } = commonProps(props);
  const { onChange } = props;
  const value: unknown = props.value;
  return (
    <Checkbox
      {...common}
      checked={value === true}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

/** The content of a file, such as a certificate; settings carry it in base64. */
export function FileContent(props: WidgetProps): ReactElement {
  const { t } = useTranslation();
  const { onChange } = props;
  const value: unknown = props.value;
  const { id, ...common } = commonProps(props);
  const [file, setFile] = useState<File | null>(null);
  const base64 = typeof value === 'string' ? value.replace(/=+$/, '') : '';
  const length = Math.floor((base64.length * 3) / 4);
  return (
    <Stack gap={4}>
      <FileInput
        {...common}
        id={id}
        value={file}
        placeholder={t(length > 0 ? 'settings.otherFile' : 'settings.chooseFile')}
        onChange={(next) => {
          setFile(next);
          if (next !== null) void base64Of(next).then(onChange);
        }}
      />
      {length > 0 && (
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {t('settings.hasFile', { n: length })}
          </Text>
          {!common.disabled && (
            <Button
              variant="default"
              size="compact-xs"
              onClick={() => {
                setFile(null);
                onChange(undefined);
              }}
            >
              {t('settings.removeFile')}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}
