import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { Suspense, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../parts/lazy-part.ts';

const SearchDialog = lazyPart(() => import('./search-dialog.tsx'));

/** The field in the header that opens the search over everything; Ctrl+K opens it, too. */
export function Search(): ReactElement {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure(false);
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <button type="button" className="frame-search" onClick={open}>
        <IconSearch size={14} aria-hidden />
        <span className="word">{t('search.title')}</span>
        <kbd aria-hidden>Ctrl K</kbd>
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <SearchDialog onClose={close} />
        </Suspense>
      )}
    </>
  );
}
