import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { Shown } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { Beginning, BeginningGroup } from './beginnings.ts'
import { useBeginnings } from './beginnings.ts'
import classes from './gallery.module.css'
import { GalleryCard } from './gallery-card.tsx'

const GalleryLook = lazyPart(() => import('./gallery-look.tsx'))

type Props = Parameters<typeof useBeginnings>[0] & {
  /** Of this page. */
  path: string
  onTake: (beginning: Beginning) => void
  busy: boolean
}

/** Mails to begin with, each as its reader gets it. */
export function Gallery({ kinds, own, path, onTake, busy }: Props) {
  const [{ group }] = useUrlState({ group: '' })
  const [looked, setLooked] = useState<Beginning>()
  const beginnings = useBeginnings({ kinds, own })
  return (
    <Shown read={beginnings} rows={8}>
      {(groups) => (
        <>
          <GroupTabs groups={groups} path={path} current={group} />
          <ul className={classes.gallery} aria-label="Mails to begin with">
            {group === '' && <GalleryCard beginning={EMPTY} onTake={onTake} busy={busy} />}
            {groups
              .filter(({ key }) => group === '' || key === group)
              .flatMap(({ items }) => items)
              .map((beginning) => (
                <GalleryCard
                  key={`${beginning.is} ${'id' in beginning ? beginning.id : beginning.name}`}
                  beginning={beginning}
                  onLook={setLooked}
                  onTake={onTake}
                  busy={busy}
                />
              ))}
          </ul>
          {looked && (
            <GalleryLook beginning={looked} onTake={onTake} busy={busy} onClose={() => setLooked(undefined)} />
          )}
        </>
      )}
    </Shown>
  )
}

const EMPTY: Beginning = { is: 'none', name: 'An empty mail' }

function GroupTabs({ groups, path, current }: { groups: readonly BeginningGroup[]; path: string; current: string }) {
  const tabs = [{ key: '', name: 'All' }, ...groups].map(({ key, name }) => ({
    label: name,
    to: path,
    search: key === '' ? {} : { group: key },
    current: key === current,
  }))
  return <Tabs label="Kinds of mails" tabs={tabs} />
}
