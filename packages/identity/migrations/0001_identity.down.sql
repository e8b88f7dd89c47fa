drop table identity.audit;
drop table identity.throttles;
drop table identity.signing_keys;
drop table identity.sessions;
drop table identity.users;
drop table identity.tenants;
drop schema identity;
