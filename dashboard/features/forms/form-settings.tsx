import { useEffect, useState } from 'react'
import type { Form as SignUpForm } from '../../lib/site-types.ts'
import { typedSince } from '../../lib/use-edits.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { ChoiceField } from '../../ui/choice.tsx'
import { Button, Select } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form, FormField } from '../../ui/form-field.tsx'
import { NamesField } from '../../ui/names-field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { say } from '../../ui/toasts.tsx'
import { FieldsEditor } from './fields-editor.tsx'
import { CHALLENGES, LANGUAGES, STATES } from './form-words.tsx'
import classes from './forms.module.css'

const TAGS_MAX = 500

/** Everything of a form that can be changed, saved together. */
export function FormSettings({
  form,
  etag,
  mayWrite,
  onDraft,
}: {
  form: SignUpForm
  etag: string | undefined
  mayWrite: boolean
  /** Told of everything that is typed. */
  onDraft: (change: ReturnType<typeof bodyOf>) => void
}) {
  const [draft, setDraft] = useState(() => draftOf(form))
  // What was typed is a change of what was there when it began, and of nothing that came since.
  const [base, setBase] = useState(etag)
  useEffect(() => onDraft(bodyOf(draft)), [draft, onDraft])
  const faults = useFormFaults(Object.keys(draft).map((name) => `/${name}`))
  const update = useAct('PATCH /forms/{id}', { changes: ['/forms'] })
  const take = (theirs: SignUpForm, tag: string | undefined) => {
    setDraft(draftOf(theirs))
    setBase(tag)
  }
  const save = (ifMatch: string | undefined) =>
    update.mutateAsync({ params: { id: form.id }, body: bodyOf(draft), ifMatch }).then((saved) => {
      setDraft((now) => ({ ...draftOf(saved.value), ...typedSince(draft, now) }))
      setBase(saved.etag)
      say('Saved.')
    }, faults.take)
  return (
    <Panel title="Settings">
      <Form
        faults={faults}
        conflict={{
          what: 'this form',
          busy: update.isPending,
          onMine: () => save(etag),
          onTheirs: () => take(form, etag),
        }}
        onSubmit={() => save(base)}
        actions={
          mayWrite && (
            <Button type="submit" kind="primary" busy={update.isPending}>
              Save
            </Button>
          )
        }
      >
        <fieldset className={classes.plain} disabled={!mayWrite}>
          <Fields draft={draft} faults={faults} onChange={(change) => setDraft({ ...draft, ...change })} />
        </fieldset>
      </Form>
    </Panel>
  )
}

type Draft = ReturnType<typeof draftOf>

function Fields({
  draft,
  faults,
  onChange,
}: {
  draft: Draft
  faults: ReturnType<typeof useFormFaults>
  onChange: (change: Partial<Draft>) => void
}) {
  const tags = useSite('GET /tags', { query: { pageSize: TAGS_MAX } })
  const text = (name: 'name' | 'successUrl' | 'confirmedUrl') => ({
    ...{ pointer: `/${name}`, faults, value: draft[name] },
    onChange: (value: string) => onChange({ [name]: value }),
  })
  return (
    <>
      <FormField label="Name" description="For yourself. Nobody who signs up sees it." {...text('name')} />
      <ChoiceField label="State" value={draft.state} choices={STATES} onChange={(state) => onChange({ state })} />
      <FieldsEditor fields={draft.fields} faults={faults} onChange={(fields) => onChange({ fields })} />
      <TextArea
        label="What people agree to"
        description="Stands above the button, and is kept with each sign-up as it was at that time."
        value={draft.consentWording}
        error={faults.at('/consentWording')}
        onChange={(event) => onChange({ consentWording: event.currentTarget.value })}
      />
      <NamesField
        label="Tags"
        description="Those who confirm get them."
        placeholder="Newsletter"
        value={draft.tags}
        known={(tags.data?.items ?? []).map(({ name }) => name)}
        error={faults.at('/tags')}
        onChange={(names) => onChange({ tags: names })}
      />
      <Select
        label="Language"
        description="Of its page, and of the mail that asks people to confirm."
        value={draft.locale}
        options={LANGUAGES}
        error={faults.at('/locale')}
        onChange={({ currentTarget }) => onChange({ locale: currentTarget.value })}
      />
      <NamesField
        label="Sites that may have it"
        description="Without one any site may."
        placeholder="https://shop.example"
        value={draft.allowedOrigins}
        known={[]}
        error={faults.at('/allowedOrigins')}
        onChange={(allowedOrigins) => onChange({ allowedOrigins })}
      />
      <FormField
        label="Page after signing up"
        type="url"
        placeholder="https://www.example.com/check-your-mail"
        description="Where people go on once they have filled it in. Blank: a page of ours."
        {...text('successUrl')}
      />
      <FormField
        label="Page after confirming"
        type="url"
        placeholder="https://www.example.com/welcome"
        description="Where people go on once they have confirmed by mail. Blank: the workspace’s, or a page of ours."
        {...text('confirmedUrl')}
      />
      <ChoiceField
        label="Check that visitors are no robots"
        value={draft.challenge}
        choices={CHALLENGES}
        onChange={(challenge) => onChange({ challenge })}
      />
    </>
  )
}

/** A form as its fields hold it: nothing is blank in them. */
function draftOf({ name, state, fields, consentWording, tags, allowedOrigins, challenge, ...rest }: SignUpForm) {
  return {
    ...{ name, state, fields, consentWording, tags, allowedOrigins, challenge },
    locale: (rest.locale ?? '') as string,
    successUrl: rest.successUrl ?? '',
    confirmedUrl: rest.confirmedUrl ?? '',
  }
}

function bodyOf({ locale, successUrl, confirmedUrl, ...same }: Draft) {
  return {
    ...same,
    locale: (locale === '' ? null : locale) as SignUpForm['locale'],
    successUrl: successUrl.trim() || null,
    confirmedUrl: confirmedUrl.trim() || null,
  }
}
