import { useState } from 'react'
import { useSite } from '../../lib/use-site.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { codeWith, DisplayRulesFields, IN_PLACE } from './display-rules.tsx'
import classes from './forms.module.css'

/** Ways to show a form: its own page, or code for a page of one's own. */
export function EmbedPanel({ id }: { id: string }) {
  const [rules, setRules] = useState(IN_PLACE)
  const embed = useSite('GET /forms/{id}/embed', { params: { id } })
  return (
    <Panel title="Share it, or put it on your site">
      <Shown read={embed}>
        {({ url, html, script }) => (
          <div className={classes.panels}>
            <div>
              <p>
                <a href={url} className={classes.open} target="_blank" rel="noopener noreferrer">
                  Open its own page
                </a>{' '}
                to see the form as your readers do. Share the link, if you have no site:
              </p>
              <Copyable text={url} what="the link of its page" />
            </div>
            <p>
              For your site, paste the code with our script
              {rules.how === '' ? ' where the form shall stand' : ' into its pages, anywhere'}. It takes on the fonts of
              your page, and what you change here is there at once.
            </p>
            <DisplayRulesFields rules={rules} onChange={setRules} />
            <CodeBlock title="Code with our script" text={codeWith(script, rules)} />
            <p>
              If your site allows no scripts, paste plain HTML instead. Copy it anew when you have changed the form.
            </p>
            <CodeBlock title="Plain HTML" text={html} />
          </div>
        )}
      </Shown>
    </Panel>
  )
}
