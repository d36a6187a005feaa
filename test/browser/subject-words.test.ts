import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subjectWords } from '../../dashboard/lib/subject-words.ts'

test('a subject is told without the Liquid that it is written in', () => {
  const told: Record<string, string> = {
    'Plain {words}, 50 % off': 'Plain {words}, 50 % off',
    "News for {{ first_name | default: 'you' }}": 'News for ‹first name›',
    '{% if first_name %}{{ first_name }}, our{% else %}Our{% endif %} sale': '‹first name›, our sale',
    "{% case plan %}{% when 'pro' %}Pro{% when 'free' %}Free{% else %}All{% endcase %} news": 'Pro news',
    '{%- unless a -%} b {%- if c %}C{% else %}D{% endif %}{% elsif x %}E{% endunless %}': 'b C',
    "{% comment %}for Ann{% endcomment %}{% assign city = 'Rome' %}{{ 'Hi' | upcase }}, {{ custom.home_city }}":
      'Hi, ‹home city›',
    '{{ items[0].name }} waits': '‹items[0].name› waits',
    'Half {{ written': 'Half {{ written',
    '': '',
  }
  for (const [subject, words] of Object.entries(told)) assert.equal(subjectWords(subject), words)
})
