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
  /** What else stands in the page's address, and stays. */
  kept?: Record<string, string>
  onTake: (beginning: Beginning) => void
  busy: boolean
}

/** Mails to begin with, each as its reader gets it. */
export function Gallery({ kinds, own, path, kept = {}, onTake, busy }: Props) {
  const [{ group }] = useUrlState({ group: '' })
  const [looked, setLooked] = useState<Beginning>()
  const beginnings = useBeginnings({ kinds, own })
  return (
    <Shown read={beginnings} rows={8}>
      {(groups) => (
        <>
          <GroupTabs groups={groups} path={path} kept={kept} current={group} />
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

type TabsProps = { groups: readonly BeginningGroup[]; path: string; kept: Record<string, string>; current: string }

function GroupTabs({ groups, path, kept, current }: TabsProps) {
  const tabs = [{ key: '', name: 'All' }, ...groups].map(({ key, name }) => ({
    label: name,
    to: path,
    search: key === '' ? kept : { ...kept, group: key },
    current: key === current,
  }))
  return <Tabs label="Kinds of mails" tabs={tabs} />
}
