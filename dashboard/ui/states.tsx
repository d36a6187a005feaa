import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useState } from 'react'
import { wordsOf } from '../lib/format.ts'
import { hasPage } from '../lib/pages-here.ts'
import type { SiteProblem } from '../lib/problem.ts'
import { useOnceKnown } from '../lib/use-known.ts'
import { Button } from './controls.tsx'
import { Copyable } from './copyable.tsx'
import { AlertTriangleIcon, type Icon, InboxIcon, LockIcon, SearchIcon } from './icons.tsx'
import { ButtonLink } from './link.tsx'
import type { More } from './show-more.tsx'
import classes from './states.module.css'

/** A list without anything in it: what it is for, one act, and one that makes an example. */
export function EmptyState({
  title,
  icon: Mark = InboxIcon,
  children,
  actions,
}: {
  title: string
  icon?: Icon
  children?: ReactNode
  actions?: ReactNode
}) {
  return (
    <div className={classes.state}>
      <span className={classes.mark}>
        <Mark size={20} />
      </span>
      <h2>{title}</h2>
      {children !== undefined && <div className={classes.words}>{children}</div>}
      {actions && <div className={classes.actions}>{actions}</div>}
    </div>
  )
}

/**
 * A list that holds nothing of what it is narrowed to, and the way back to all of it. `noun`: one of what it holds. `more`: of a list
 * that was not looked through to its end, the way on.
 */
export function NoneFits({
  noun,
  more,
  title = more ? `No ${noun} fits among the newest` : `No ${noun} fits`,
  children = more ? 'Older ones are looked through a stretch at a time.' : `No ${noun} has all of what you filter by.`,
  act = 'Show all',
  onClear,
}: {
  noun: string
  title?: string
  children?: ReactNode
  act?: string
  onClear: () => void
  more?: More | undefined
}) {
  const actions = (
    <>
      {more && (
        <Button busy={more.busy} onClick={() => more.show()}>
          Look further back
        </Button>
      )}
      <Button onClick={onClear}>{act}</Button>
    </>
  )
  return (
    <EmptyState title={title} icon={SearchIcon} actions={actions}>
      {children}
    </EmptyState>
  )
}

const NOT_FOUND = 404
const GONE = 'It may have been deleted meanwhile, or the address is not whole.'
const BROKEN_FROM = 500
const BROKEN = 'Whoever runs the server finds the fault in its log by this number.'
const AGAIN_MS = 5_000
/** Titles that say of an act what a read has none of, or how servers are built. */
const READ_TITLES: Readonly<Record<string, string>> = {
  'deadline-exceeded': 'The answer took too long',
  overloaded: 'The server is busy',
  'shutting-down': 'The server is starting anew',
}

/**
 * A page or panel that could not be read: what the server says, under which number, and how to go on. What may come in a moment is
 * asked for again by itself. What is not there does not come by asking again: others of its kind are led to.
 */
export function ErrorState({ problem, onRetry }: { problem: SiteProblem; onRetry?: () => void }) {
  const retry = useEffectEvent(() => onRetry?.())
  const { passes } = problem
  useEffect(() => {
    if (!passes) return
    const timer = setInterval(retry, AGAIN_MS)
    return () => clearInterval(timer)
  }, [passes])
  if (problem.status === 403)
    return <Refused detail={problem.code === 'missing-permission' ? undefined : problem.detail} />
  const { detail } = problem
  const title = READ_TITLES[problem.code] ?? problem.title
  const isGone = problem.status === NOT_FOUND
  const words =
    passes && onRetry
      ? 'It is asked for again every few seconds.'
      : (detail ?? (isGone ? GONE : problem.status >= BROKEN_FROM && BROKEN))
  return (
    <div className={classes.state} role="alert">
      <span className={classes.mark} data-tone={isGone ? undefined : 'bad'}>
        {isGone ? <SearchIcon size={20} /> : <AlertTriangleIcon size={20} />}
      </span>
      <Heading>{title}</Heading>
      {words !== title && words && <div className={classes.words}>{words}</div>}
      {problem.requestId && (
        <p className={classes.request}>
          Request <Copyable text={problem.requestId} />
        </p>
      )}
      <div className={classes.actions}>
        {isGone ? <WayOn /> : onRetry && <Button onClick={onRetry}>Try again</Button>}
      </div>
    </div>
  )
}

/** The page's own heading, and its name, where nothing else of the page is shown; a part's below one that is. */
function Heading({ children }: { children: string }) {
  const [Level, setLevel] = useState<'h1' | 'h2'>('h2')
  // Not while it is rendered: the page's header may come with it, and is not in the document before.
  useLayoutEffect(() => {
    if (document.querySelector('main h1')) return
    setLevel('h1')
    document.title = `${children} · Postroom`
  }, [children])
  return <Level>{children}</Level>
}

/** Leads to the list that a page is of: from `/app/default/contacts/42` to Contacts. */
function WayOn() {
  const [list = ''] = location.pathname.split('/').slice(3)
  return hasPage(`/${list}`) ? (
    <ButtonLink to={`/${list}`}>To {wordsOf(list)}</ButtonLink>
  ) : (
    <ButtonLink to="/">To the beginning</ButtonLink>
  )
}

/** A page that the person's role does not include; who could change that is said. */
export function Refused({
  detail,
  remedy = 'An owner or admin can give you another role.',
}: {
  detail?: string | undefined
  /** Says who can give one that does. */
  remedy?: string
}) {
  return (
    <div className={classes.state}>
      <span className={classes.mark}>
        <LockIcon size={20} />
      </span>
      <Heading>Your role does not include this</Heading>
      <div className={classes.words}>
        {detail} {remedy}
      </div>
    </div>
  )
}

const SEEN_AFTER_MS = 150
/** Of a row of what is loading: below it little moves when that comes. */
const ROW_PX = 40

/** Bars where the content will be, after a moment in which most of it has come. */
export function Loading({ rows = 6, label = 'Loading' }: { rows?: number | undefined; label?: string }) {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSeen(true), SEEN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={classes.loading} data-busy role="status" aria-label={label} style={{ minHeight: rows * ROW_PX }}>
      {isSeen &&
        Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars are all alike
          <span key={row} className={classes.bar} />
        ))}
    </div>
  )
}

type Read<T> = { data: T | undefined; error: SiteProblem | null; refetch: () => unknown }

export type ShownProps<T> = {
  read: Read<T>
  /** Whether that is known which stands above it or beside it, and would move it by coming later. */
  when?: boolean | undefined
  rows?: number | undefined
  children: (data: T) => ReactNode
}

/**
 * Shows what was read, or its loading, or its fault: no page forgets one of the three. What was read once stands while the server is
 * away; what is not there any more does not.
 */
export function Shown<T>({ read, when = true, rows, children }: ShownProps<T>) {
  const isInPlace = useOnceKnown(when)
  const isGone = read.error?.status === NOT_FOUND
  if (read.data !== undefined && isInPlace && !isGone) return <>{children(read.data)}</>
  if (read.error !== null) return <ErrorState problem={read.error} onRetry={() => read.refetch()} />
  return <Loading rows={rows} />
}
