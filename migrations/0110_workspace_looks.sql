-- keeps 0108
-- How mails of a workspace look: colours by name, as JSON `[{"name": "Moss", "color": "#2f6f4f"}]`, and the fonts of their text.
alter table workspaces
  add column palette text not null default '[]' check (length(palette) <= 4000),
  add column font_family text check (length(font_family) <= 200);
