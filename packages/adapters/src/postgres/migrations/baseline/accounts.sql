-- Accounts: users, their sessions, their roles in workspaces, and one-time links. All are read before the workspace is known.

create table app_user (
  user_id uuid not null,
  name text not null constraint app_user_name_length check (char_length(name) between 1 and 200),
  email text not null,
  email_normalized text not null,
  password_hash text,
  oidc_issuer text,
  oidc_subject text,
  operator boolean not null,
  created_at timestamptz not null,
  constraint app_user_pkey primary key (user_id),
  constraint app_user_email_unique unique (email_normalized),
  constraint app_user_subject_unique unique (oidc_issuer, oidc_subject),
  constraint app_user_subject_has_issuer check ((oidc_issuer is null) = (oidc_subject is null))
);
comment on table app_user is 'Persons who sign in to the console.';
comment on column app_user.email_normalized is 'Equal for all spellings of an address.';
comment on column app_user.password_hash is 'Names the algorithm and its parameters. Null: signs in by passkeys and links only.';
comment on column app_user.oidc_issuer is 'The identity provider. Null: the user has not signed in with one.';
comment on column app_user.oidc_subject is 'Its id of the user.';
comment on column app_user.operator is 'Operates the installation: workspaces, plans, credits.';

create table user_session (
  session_id uuid not null,
  user_id uuid not null constraint user_session_user_fkey references app_user on delete cascade,
  hash bytea not null constraint user_session_hash_length check (octet_length(hash) = 32),
  agent text not null constraint user_session_agent_length check (char_length(agent) <= 500),
  created_at timestamptz not null,
  proved_at timestamptz,
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  constraint user_session_pkey primary key (session_id),
  constraint user_session_hash_unique unique (hash)
);
create index user_session_user on user_session (user_id, created_at desc);
create index user_session_expiry on user_session (expires_at);
insert into table_retention (relation, age_column, days_min) values ('user_session', 'expires_at', 0);
comment on table user_session is 'Signed-in browsers, found by the hash of their cookie.';
comment on column user_session.hash is 'SHA-256 of the token in the cookie, which is stored nowhere.';
comment on column user_session.proved_at is
  'When the person last proved who they are. Null: the identity provider did not say.';
comment on column user_session.seen_at is 'The last request, accurate to a minute.';

create table member (
  workspace_id uuid not null constraint member_workspace_fkey references workspace on delete cascade,
  user_id uuid not null constraint member_user_fkey references app_user on delete cascade,
  role text not null constraint member_role_known check (role in ('viewer', 'editor', 'sender', 'owner')),
  created_at timestamptz not null,
  constraint member_pkey primary key (workspace_id, user_id)
);
create index member_user on member (user_id);
comment on table member is 'The roles of users in workspaces.';

create table sign_in_link (
  link_id uuid not null,
  purpose text not null constraint sign_in_link_purpose_known check (purpose in ('first', 'invitation', 'recovery')),
  hash bytea not null constraint sign_in_link_hash_length check (octet_length(hash) = 32),
  email text,
  email_normalized text,
  workspace_id uuid constraint sign_in_link_workspace_fkey references workspace on delete cascade,
  role text constraint sign_in_link_role_known check (role in ('viewer', 'editor', 'sender', 'owner')),
  user_id uuid constraint sign_in_link_user_fkey references app_user on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint sign_in_link_pkey primary key (link_id),
  constraint sign_in_link_hash_unique unique (hash),
  constraint sign_in_link_has_its_purpose check (
    (purpose = 'invitation') = (workspace_id is not null) and (purpose = 'invitation') = (email_normalized is not null) and (purpose = 'invitation') = (role is not null)
    and (purpose = 'recovery') = (user_id is not null) and (purpose = 'first') = (email is null))
);
create index sign_in_link_workspace on sign_in_link (workspace_id, created_at desc, link_id);
create index sign_in_link_email on sign_in_link (email_normalized);
create index sign_in_link_expiry on sign_in_link (expires_at);
insert into table_retention (relation, age_column, days_min) values ('sign_in_link', 'expires_at', 0);
comment on table sign_in_link is 'One-time links: of the first start, of invitations, and for users who cannot sign in. Deleted when used.';
comment on column sign_in_link.email_normalized is 'The invited address, equal for all its spellings.';
comment on column sign_in_link.hash is 'SHA-256 of the token in the link, which is stored nowhere.';

create table passkey (
  passkey_id uuid not null,
  user_id uuid not null constraint passkey_user_fkey references app_user on delete cascade,
  credential_id text not null constraint passkey_credential_id_length check (char_length(credential_id) between 1 and 1364),
  public_key bytea not null constraint passkey_public_key_length check (octet_length(public_key) between 1 and 4096),
  counter bigint not null constraint passkey_counter_range check (counter between 0 and 4294967295),
  transports text[] not null,
  name text not null constraint passkey_name_length check (char_length(name) between 1 and 100),
  created_at timestamptz not null,
  used_at timestamptz,
  constraint passkey_pkey primary key (passkey_id),
  constraint passkey_credential_unique unique (credential_id)
);
create index passkey_user on passkey (user_id, created_at, passkey_id);
comment on table passkey is 'Public keys of users'' devices, which sign users in.';
comment on column passkey.credential_id is 'The name that the device gave to the passkey, as base64url.';
comment on column passkey.public_key is 'As COSE key.';
comment on column passkey.counter is 'Signatures that the device has counted. 0: it counts none.';
comment on column passkey.transports is 'How browsers reach the device: internal, hybrid, usb.';
comment on column passkey.used_at is 'The last sign-in with it.';

create table passkey_challenge (
  challenge text not null constraint passkey_challenge_length check (char_length(challenge) = 43),
  browser_hash bytea not null constraint passkey_challenge_browser_hash_length check (octet_length(browser_hash) = 32),
  user_id uuid,
  link_id uuid constraint passkey_challenge_link_fkey references sign_in_link on delete cascade,
  expires_at timestamptz not null,
  constraint passkey_challenge_pkey primary key (challenge)
);
create index passkey_challenge_link on passkey_challenge (link_id);
create index passkey_challenge_expiry on passkey_challenge (expires_at);
insert into table_retention (relation, age_column, days_min) values ('passkey_challenge', 'expires_at', 0);
comment on table passkey_challenge is 'Random bytes that a device signs. Deleted when used.';
comment on column passkey_challenge.browser_hash is 'SHA-256 of the token in a cookie of the browser that requested the challenge.';
comment on column passkey_challenge.user_id is 'The user that a new passkey is for, who may not exist yet. Null: a sign-in.';
comment on column passkey_challenge.link_id is 'The link of the user, if the user came by one.';
