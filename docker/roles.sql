-- What an administrator of PostgreSQL makes for Tentpole, once, before its first start; psql runs it.
--   tentpole_owner    owns the database: migrations run as it, and nothing else does.
--   tentpole_service  what every process acts as: it owns nothing, and row-level security holds it.
--   tentpole_login    what processes log in as: it may act as the service, and no more.
\getenv owner_password OWNER_PASSWORD
\getenv service_password SERVICE_PASSWORD

create role tentpole_owner login nosuperuser nocreatedb nocreaterole password :'owner_password';
create role tentpole_service nologin nosuperuser nobypassrls;
create role tentpole_login login nosuperuser nocreatedb nocreaterole password :'service_password';
grant tentpole_service to tentpole_login;
create database tentpole owner tentpole_owner;
revoke connect, temporary on database tentpole from public;
grant connect on database tentpole to tentpole_login;
