import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'
import { isProblem } from '../../lib/problem.ts'
import { type BodyOf, site } from '../../lib/site.ts'
import { Select } from '../../ui/controls.tsx'
import { FormFrame, type FormShow } from '../../ui/form-frame.tsx'
import { MailFrame } from '../../ui/mail-frame.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Loading } from '../../ui/states.tsx'
import classes from './forms.module.css'

type Change = BodyOf<'POST /forms/{id}/preview'>
type Look = 'page' | 'place' | Exclude<FormShow, ''>

const LOOKS: { value: Look; label: string }[] = [
  { value: 'page', label: 'Its own page' },
  { value: 'place', label: 'In a page of your site' },
  { value: 'popup', label: 'As a pop-up' },
  { value: 'slide-in', label: 'Sliding in' },
]
const TYPED_MS = 300
/** Of a page that asks for two or three things. The panel is as high before it is made, so that what stands below keeps its place. */
const HEIGHT_PX = 660

/** The form as its readers will see it, as it is being written. */
export function FormPreview({ id, change }: { id: string; change: Change }) {
  const [look, setLook] = useState<Look>('page')
  const { shown, fault } = usePreview(id, change)
  return (
    <Panel
      title="Preview"
      actions={
        <Select
          label="How it is shown"
          hideLabel
          value={look}
          options={LOOKS}
          onChange={({ currentTarget }) => setLook(currentTarget.value as Look)}
        />
      }
      flush
    >
      <div className={classes.preview} style={{ minHeight: HEIGHT_PX }}>
        {fault !== undefined && (
          <Notice tone="warn">
            {shown === undefined ? 'It cannot be shown' : 'Shown as it was before'}: {fault}
          </Notice>
        )}
        {shown === undefined ? (
          fault === undefined && (
            <div className={classes.unmade}>
              <Loading rows={5} label="The preview is loading" />
            </div>
          )
        ) : look === 'page' ? (
          <MailFrame html={shown.page} title="Preview of the form" />
        ) : (
          <FormFrame
            definition={shown.definition}
            how={look === 'place' ? '' : look}
            title="Preview of the form"
            height={HEIGHT_PX}
          />
        )}
      </div>
    </Panel>
  )
}

/** The last state that could be shown, and why a later one cannot; asked for once nobody has typed for a moment. */
function usePreview(id: string, change: Change) {
  const text = useSettled(JSON.stringify(change))
  const asked = useQuery({
    queryKey: ['/forms/preview', id, text],
    queryFn: ({ signal }) =>
      site('POST /forms/{id}/preview', { params: { id }, body: JSON.parse(text) as Change, signal }),
    placeholderData: (before) => before,
    retry: false,
  })
  const [shown, setShown] = useState(asked.data)
  useEffect(() => {
    if (asked.data !== undefined) setShown(asked.data)
  }, [asked.data])
  const { error } = asked
  const fault = !error ? undefined : isProblem(error) ? (error.errors[0]?.detail ?? error.message) : error.message
  return { shown: useDeferredValue(shown), fault }
}

/** A text once it has stayed as it is for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPED_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
