import { useMemo } from 'react'
import { countText, shareText } from '../../lib/format.ts'
import type { BroadcastHeatMap } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import { DeviceDesktopIcon, DeviceMobileIcon } from '../../ui/icons.tsx'
import { MailFrame } from '../../ui/mail-frame.tsx'
import { MailHeat } from '../../ui/mail-heat.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { PersonPicker } from '../templates/person-picker.tsx'
import classes from './report.module.css'
import { ReportLinks } from './report-links.tsx'

const LOOKS = [
  { look: '', name: 'Desktop', icon: DeviceDesktopIcon },
  { look: 'phone', name: 'Phone', icon: DeviceMobileIcon },
] as const

/** Where people clicked: the mail as it went out with the share of each link on it, and the same numbers as a table. */
export default function ReportHeatMap({ id }: { id: string }) {
  const [{ as, look }, setUrl] = useUrlState({ as: '', look: '' })
  const request = { params: { id }, query: /^[0-9]+$/.test(as) ? { contactId: as } : {} }
  const read = useSite('GET /broadcasts/{id}/heat-map', request, { keep: true })
  return (
    <div className={classes.page}>
      <Panel title="Where people clicked" note="machines are in no number on it" flush>
        <div className={classes.heatBar}>
          <fieldset className={classes.looks}>
            <legend className="visually-hidden">How to look at it</legend>
            {LOOKS.map(({ look: one, name, icon }) => (
              <Button
                key={name}
                small
                kind="quiet"
                icon={icon}
                aria-pressed={look === one}
                onClick={() => setUrl({ look: one }, { replace: true })}
              >
                {name}
              </Button>
            ))}
          </fieldset>
          <AsCurl operation="GET /broadcasts/{id}/heat-map" {...request} />
          <PersonPicker value={as} onChange={(contactId) => setUrl({ as: contactId }, { replace: true })} />
        </div>
        <Shown read={read}>{(found) => <HeatedMail map={found} isPhone={look === 'phone'} />}</Shown>
      </Panel>
      {read.data && <ReportLinks id={id} links={read.data.links} />}
    </div>
  )
}

function HeatedMail({ map: { html, links }, isPhone }: { map: BroadcastHeatMap; isPhone: boolean }) {
  const all = links.reduce((sum, { clickCount }) => sum + clickCount, 0)
  const heat = useMemo(() => {
    const most = Math.max(1, ...links.map(({ clickCount }) => clickCount))
    return new Map(
      links.map(({ position, clickCount }) => [
        position,
        { heat: clickCount / most, words: shareText(clickCount, all) },
      ]),
    )
  }, [links, all])
  return (
    <>
      <p className={classes.heatFoot}>
        {all === 0
          ? 'Nobody has followed a link yet.'
          : `Each link with its share of ${countText(all, 'click')} of people; the table below has the same.`}
      </p>
      <MailFrame
        html={html}
        title="The mail with the clicks of its links"
        phone={isPhone}
        over={(place) => <MailHeat {...place} heat={heat} />}
      />
    </>
  )
}
